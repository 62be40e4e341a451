import { describe, expect, test } from 'vitest';
import { type ByteSource, memoryBytes } from '../../../src/formats/bytes.ts';
import { gunzip } from '../../../src/formats/gzip.ts';
import type { OpenOptions } from '../../../src/formats/options.ts';
import { openCsv } from '../../../src/formats/table/csv.ts';
import { encodeCsv } from '../../../src/formats/table/write-csv.ts';
import { memorySource } from '../../../src/rows/memory.ts';
import { concat, gzipped, signs, spelled, survivesDamage, tableOf, text } from '../helpers.ts';

const open = (content: string, options: OpenOptions = {}) => openCsv(text('a.csv', content), options);
const two = signs([
  [0, 1, 1],
  [1, 0, 0],
]);

describe('CSV', () => {
  test('a column without a name', async () => {
    const rows = memorySource({ kind: 'bits', n: 2, V: 1, bits: Uint8Array.of(1, 0) }, { columns: [''] });
    const read = await openCsv(memoryBytes('a.csv', await concat(encodeCsv(rows))), { header: true });
    expect(await tableOf(read)).toEqual(await tableOf(rows));
  });

  test('rows whose entries are all missing, of one column and of several', async () => {
    for (const V of [1, 3]) {
      const values = Float32Array.from({ length: 4 * V }, (_, k) => (Math.floor(k / V) % 2 ? Number.NaN : 1));
      const rows = memorySource({ kind: 'real', n: 4, V, values });
      for (const delimiter of [',', '\t']) {
        const written = await concat(encodeCsv(rows, { delimiter, values: 'unit' }));
        const read = await openCsv(memoryBytes('a.csv', written), {
          delimiter,
          values: 'unit',
          header: false,
        });
        expect(read.n).toBe(4);
        expect(await tableOf(read)).toEqual(await tableOf(rows));
      }
    }
  });

  test('compressed', async () => {
    const bytes = gunzip(memoryBytes('a.csv.gz', gzipped(new TextEncoder().encode('0,1,1\n1,0,0\n'))));
    expect(await tableOf(await openCsv(bytes, {}))).toEqual(two);
  });

  test('chunks of any size', async () => {
    const source = await open('0,1,1\n1,0,0\n'.repeat(10));
    const sizes: number[] = [];
    for await (const chunk of source.chunks(8)) sizes.push(chunk.n);
    expect(sizes).toEqual([8, 8, 4]);
  });

  test('lines that end with a carriage return alone are refused, with what to do', async () => {
    await expect(open('a,b\r1,0\r0,1\r')).rejects.toThrow(
      "a.csv: its lines end with a carriage return alone, as in CSV for Macintosh. Save it as plain CSV, for instance with tr '\\r' '\\n'.",
    );
  });

  test('other encodings than UTF-8 are refused, with what to do', async () => {
    const latin1 = Uint8Array.from('id,a,gr\xf6\xdfe\nx,0,1\n', (letter) => letter.charCodeAt(0));
    await expect(openCsv(memoryBytes('a.csv', latin1), {})).rejects.toThrow(
      "a.csv: is not text in UTF-8 (near 'id,a,größe'). Save it as UTF-8",
    );
    const cut = new TextEncoder().encode('a,é').subarray(0, 3);
    await expect(openCsv(memoryBytes('a.csv', cut), {})).rejects.toThrow('(it ends within a letter)');
  });

  test('what is written is read again', async () => {
    const bits = Uint8Array.from([1, 6, 7]);
    const known = Uint8Array.from([7, 5, 7]);
    const names = { columns: ['a', 'b,c', '"d"'], ids: ['x', 'y;', 'z'] };
    const source = memorySource({ kind: 'bits', n: 3, V: 3, bits, known }, names);
    const again = await openCsv(memoryBytes('a', await concat(encodeCsv(source))), {});
    expect(spelled(again)).toMatchObject(names);
    expect(await tableOf(again)).toEqual(await tableOf(source));
    const values = Float32Array.from([0.1, -0.3, 1 / 3, -1]);
    const real = memorySource({ kind: 'real', n: 2, V: 2, values });
    const written = await concat(encodeCsv(real, { delimiter: '\t' }));
    expect(new TextDecoder().decode(written)).toBe('0.100000001\t-0.300000012\n0.333333343\t-1\n');
    expect((await tableOf(await openCsv(memoryBytes('a', written), { values: 'signs' }))).flat()).toEqual([
      ...values,
    ]);
  });

  test('survives damage', async () => {
    const bytes = (content: string) => new TextEncoder().encode(content);
    await survivesDamage(bytes('id,a,"b"\nx,0,1\n"y",1,0\n'), 'x.csv', (b) => openCsv(b, {}), 500);
    await survivesDamage(bytes('u,i,n\np2,E11,1\n'), 'x.csv', (b) => openCsv(b, { layout: 'long' }), 500);
    await survivesDamage(bytes('a,b\nx,0,1\ny,1,0\n'), 'x.csv', (b) => openCsv(b, {}), 500);
    await survivesDamage(
      bytes('p2,E11\np1,I10\np2,I10\n'),
      'x.csv',
      (b) => openCsv(b, { layout: 'long' }),
      500,
    );
  });

  test('a line without end is refused, with the option that allows it', async () => {
    const line = `${'0,'.repeat(100_000)}1\n`;
    await expect(open(line.repeat(3), { maxBytes: 2 ** 20 })).rejects.toThrow(
      'a.csv: has a line longer than 4096 characters: it is probably not a table in text; if it is, raise --max-bytes',
    );
    expect(await open(line.repeat(3), { maxBytes: 2 ** 26 })).toMatchObject({ n: 3, V: 100_001 });
  });

  test('a quote that is not closed is named by its line, before the rest of a file is read', async () => {
    const rows = '0,1,1\n';
    const quote = `${rows.repeat(20)}0,"1,1\n${rows.repeat(3)}`;
    await expect(open(quote)).rejects.toThrow('a.csv, line 21: a quote opens that is not closed');
    let read = 0;
    const endless: ByteSource = {
      name: 'a.csv',
      size: 2 ** 40,
      exact: false,
      async *stream() {
        yield new TextEncoder().encode(`${rows}0,"""1,1\n`);
        for (;;) {
          read += 6000;
          yield new TextEncoder().encode(rows.repeat(1000));
        }
      },
    };
    await expect(openCsv(endless, { maxBytes: 2 ** 24 })).rejects.toThrow('a.csv, line 2: a quote opens');
    expect(read).toBeLessThan(2 ** 18);
  });
});

import { describe, expect, test } from 'vitest';
import { memoryBytes } from '../../src/formats/bytes.ts';
import { encodeCsv, openCsv } from '../../src/formats/csv.ts';
import { gunzip } from '../../src/formats/gzip.ts';
import type { OpenOptions } from '../../src/formats/options.ts';
import { memorySource } from '../../src/rows/memory.ts';
import { concat, gzipped, signs, spelled, survivesDamage, tableOf, text } from './helpers.ts';

const open = (content: string, options: OpenOptions = {}) => openCsv(text('a.csv', content), options);
const two = signs([
  [0, 1, 1],
  [1, 0, 0],
]);

describe('CSV', () => {
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
    await survivesDamage(bytes('p2,E11\np1,I10\np2,I10\n'), 'x.csv', (b) => openCsv(b, {}), 500);
  });
});

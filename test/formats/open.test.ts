import { tableFromArrays, tableToIPC } from '@uwdata/flechette';
import { encode } from 'fast-png';
import { zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { blobBytes, memoryBytes } from '../../src/formats/bytes.ts';
import { encodeRows, writtenFormat } from '../../src/formats/encode.ts';
import { openBytes } from '../../src/formats/open.ts';
import { memorySource } from '../../src/rows/memory.ts';
import { concat, gzipped, tableOf } from './helpers.ts';

const rows = { kind: 'bits', n: 4, V: 5, bits: Uint8Array.of(1, 31, 10, 21) } as const;
const source = memorySource(rows);

/** The same rows in many formats; the names say nothing. */
async function files(): Promise<[string, Uint8Array][]> {
  const text = (content: string) => new TextEncoder().encode(content);
  const table = await tableOf(source);
  const lines = (line: (row: number[], i: number) => string) => text(table.map(line).join('\n'));
  const ones = (row: number[]) => row.flatMap((x, v) => (x === 1 ? [v + 1] : []));
  const entries = table.flatMap((row, i) => ones(row).map((v) => `${i + 1} ${v}`));
  const columns = Object.fromEntries(table[0].map((_, v) => [`c${v}`, table.map((row) => row[v] === 1)]));
  const written = (['npy', 'csv', 'tsv', 'bits', 'parquet', 'jsonl'] as const).map(
    async (format): Promise<[string, Uint8Array]> => [
      format === 'tsv' ? 'csv' : format,
      await concat(encodeRows(source, format)),
    ],
  );
  return [
    ...(await Promise.all(written)),
    ['npz', zipSync({ 'x.npy': await concat(encodeRows(source, 'npy')) })],
    ['arrow', tableToIPC(tableFromArrays(columns), { format: 'file' })!],
    [
      'libsvm',
      lines(
        (row) =>
          `1 ${ones(row)
            .map((v) => `${v}:1`)
            .join(' ')}`,
      ),
    ],
    [
      'mtx',
      text(
        `%%MatrixMarket matrix coordinate pattern general\n4 5 ${entries.length}\n${entries.join('\n')}\n`,
      ),
    ],
    ['fps', text('#FPS1\n#num_bits=5\n01\n1f\n0a\n15\n')],
    ['idx', Uint8Array.from([0, 0, 8, 2, 0, 0, 0, 4, 0, 0, 0, 5, ...table.flat().map((x) => (x + 1) / 2)])],
  ];
}

describe('any format', () => {
  test('that is not read is named, with what to do', async () => {
    const bytes = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
    const open = (text: string) => openBytes(memoryBytes('x.csv', bytes(text)));
    const xls = memoryBytes('t.xls', Uint8Array.of(0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1));
    await expect(openBytes(xls)).rejects.toThrow('Save the sheet as CSV');
    await expect(open('BZh91AY&SY\0')).rejects.toThrow(/bzip2.*gzip/);
    await expect(open('%PDF-1.7\n\x93\0')).rejects.toThrow('is a PDF document');
    await expect(open('%PDF-1.7\n%\xe2\xe3\n1 0 obj\n')).rejects.toThrow('is a PDF document');
    await expect(open('\xef\xbb\xbf\n<!DOCTYPE html>\n<html lang="en">\n')).rejects.toThrow('is a web page');
    await expect(open('<?xml version="1.0"?>\n<Workbook>\n')).rejects.toThrow('a document in XML');
    expect(await open('<5,%\n0,1\n')).toMatchObject({ format: 'csv', columns: ['<5', '%'] });
    await expect(open('\xff\xd8\xff\xe0\0')).rejects.toThrow('Save pictures as PNG');
    await expect(open('SQLite format 3\0')).rejects.toThrow('sqlite3 -csv -header FILE');
    await expect(open('\x58\x02\0\0\0\0\0\0{"W":{}}')).rejects.toThrow(
      'is a safetensors file, such as a model',
    );
    await expect(openBytes(memoryBytes('x', bytes('PAR1\x15\x04')), { format: 'csv' })).rejects.toThrow(
      'starts like parquet, not like csv: leave out --format',
    );
    // Names of columns are no bytes of another format.
    expect(await open('FEA1,BZh\n0,1\n')).toMatchObject({ format: 'csv', columns: ['FEA1', 'BZh'] });
  });

  test('is found by its content, compressed or not, from memory or from a blob', async () => {
    const expected = await tableOf(source);
    for (const [format, bytes] of await files()) {
      for (const content of [bytes, gzipped(bytes)]) {
        const opened = await openBytes(memoryBytes('data', content));
        expect(opened.format).toBe(format);
        expect(await tableOf(opened), format).toEqual(expected);
      }
      expect(await tableOf(await openBytes(blobBytes('data', new Blob([new Uint8Array(bytes)]))))).toEqual(
        expected,
      );
    }
  });

  test('a picture', async () => {
    const picture = encode({ width: 1, height: 1, channels: 1, data: Uint8Array.of(255) });
    expect((await openBytes(memoryBytes('x', picture as Uint8Array<ArrayBuffer>))).format).toBe('png');
  });

  test('an unknown one is an error that lists them', async () => {
    await expect(openBytes(memoryBytes('x', Uint8Array.of(1, 2, 3)))).rejects.toThrow('--format idx|npy');
    await expect(openBytes(memoryBytes('x', new Uint8Array(0)))).rejects.toThrow('empty');
  });

  test('rows and columns can be chosen', async () => {
    for (const [, bytes] of await files()) {
      const opened = await openBytes(memoryBytes('data', bytes), { rows: '1:3', columns: '4,0' });
      expect(await tableOf(opened)).toEqual([
        [1, 1],
        [-1, -1],
      ]);
    }
  });

  test('the name of an output tells its format', () => {
    expect(writtenFormat('a/b.CSV')).toBe('csv');
    expect(writtenFormat('x.tsv')).toBe('tsv');
    for (const name of ['x.mat', 'x', 'x.csv.gz']) expect(() => writtenFormat(name)).toThrow('use .npy');
  });
});

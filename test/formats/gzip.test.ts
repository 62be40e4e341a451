import { describe, expect, test } from 'vitest';
import { memoryBytes, readAll, readRange } from '../../src/formats/bytes.ts';
import { gunzip } from '../../src/formats/gzip.ts';
import { FormatError } from '../../src/rows/errors.ts';
import { gzipped, inPieces } from './helpers.ts';

const content = Uint8Array.from({ length: 5000 }, (_, k) => (k * k) % 251);

describe('gunzip', () => {
  test('unpacks, whole or in part, one member or several', async () => {
    const one = gzipped(content);
    const source = gunzip(inPieces(memoryBytes('a', one), 100));
    expect(await readAll(source, 5000)).toEqual(content);
    expect(await readRange(source, 100, 200, 'it')).toEqual(content.slice(100, 200));
    const two = gunzip(memoryBytes('a', new Uint8Array(Buffer.concat([one, one]))));
    expect((await readAll(two, 10_000)).length).toBe(10_000);
  });

  test('unpacks many members, whatever their headers and wherever pieces end', async () => {
    // Header with a name of 300 letters: byte 3 says that there is one, it ends with a zero.
    const plain = gzipped(content.subarray(0, 400));
    const name = new Uint8Array(301).fill(97, 0, 300);
    const long = new Uint8Array(Buffer.concat([plain.subarray(0, 10), name, plain.subarray(10)]));
    long[3] = 8;
    const empty = gzipped(new Uint8Array(0));
    const file = Buffer.concat([plain, empty, long, ...Array<Uint8Array>(3000).fill(empty), long, empty]);
    const expected = new Uint8Array(Buffer.concat([0, 0, 0].map(() => content.subarray(0, 400))));
    for (const length of [1, 7, 20_000, file.length]) {
      const source = gunzip(inPieces(memoryBytes('a', new Uint8Array(file)), length));
      expect(await readAll(source, 10_000)).toEqual(expected);
    }
  });

  test('respects the limit', async () => {
    await expect(readAll(gunzip(memoryBytes('a', gzipped(content))), 4999)).rejects.toThrow(
      'larger than 4999',
    );
  });

  test('damaged or cut files are errors that name the file', async () => {
    const packed = gzipped(content);
    const broken = packed.slice();
    broken[packed.length - 5] ^= 1;
    const members = [broken, packed, packed.slice(0, -3), Uint8Array.of(0, 0, 0, 0, 0)];
    const [firstBroken, lastCut, filled] = [
      [0, 1],
      [1, 2],
      [1, 3],
    ].map((which) => new Uint8Array(Buffer.concat(which.map((k) => members[k]))));
    const cut = [1, 5, 9, packed.length - 12].map((count) => packed.slice(0, -count));
    for (const bytes of [broken, firstBroken, lastCut, filled, ...cut]) {
      const reading = readAll(gunzip(memoryBytes('a.gz', bytes)), 20_000);
      await expect(reading).rejects.toThrow('a.gz: the gzip data are damaged');
      await expect(reading).rejects.toBeInstanceOf(FormatError);
    }
  });

  test('an error of the packed source is passed on as it is', async () => {
    const failing = {
      ...memoryBytes('gone', gzipped(content)),
      async *stream(): AsyncGenerator<Uint8Array> {
        yield gzipped(content).subarray(0, 20);
        throw new FormatError('gone', '', 'the file has vanished');
      },
    };
    await expect(readAll(gunzip(failing), 10_000)).rejects.toThrow('vanished');
  });
});

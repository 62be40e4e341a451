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

  test('respects the limit', async () => {
    await expect(readAll(gunzip(memoryBytes('a', gzipped(content))), 4999)).rejects.toThrow(
      'larger than 4999',
    );
  });

  test('damaged or cut files are errors that name the file', async () => {
    const packed = gzipped(content);
    const broken = packed.slice();
    broken[packed.length - 5] ^= 1;
    for (const bytes of [broken, packed.slice(0, -9), packed.slice(0, 12)]) {
      const reading = readAll(gunzip(memoryBytes('a.gz', bytes)), 10_000);
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

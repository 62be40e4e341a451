import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { hdf5File } from '../../../src/formats/node/hdf5.ts';
import { patience } from '../../../src/formats/node/hdf5-reader.ts';
import { openSource } from '../../../src/formats/node/open.ts';
import { makeCase } from '../../fuzz/case.ts';
import { fileSeeds } from '../../fuzz/seeds/files.ts';
import { writeH5 } from '../h5/write.ts';

let folder: string;
let endless: string;
const { seconds } = patience;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pcae-'));
  endless = join(folder, 'endless.h5ad');
  const seeds = (await fileSeeds()).filter(({ format }) => format === 'h5');
  // A file whose damage makes the library follow a circle of addresses.
  await writeFile(endless, makeCase(seeds, 20_160_611, 240).bytes);
});
afterEach(() => {
  patience.seconds = seconds;
});
afterAll(() => rm(folder, { recursive: true }));

const healthy = async () => {
  const path = join(folder, 'healthy.h5');
  await writeH5(path, (file) => file.create_dataset({ name: 'X', data: new Uint8Array(6), shape: [2, 3] }));
  return path;
};

describe('the thread of the HDF5 library', () => {
  test('is ended when it goes round in circles, and the next file is read', async () => {
    patience.seconds = 0.5;
    await expect(openSource(endless)).rejects.toThrow(/endless\.h5ad: is damaged: .* round in circles/);
    patience.seconds = seconds;
    expect(await openSource(await healthy())).toMatchObject({ n: 2, V: 3 });
  });

  test('is ended by a signal', async () => {
    const control = new AbortController();
    const file = await hdf5File(await healthy(), { memory: 2 ** 26, signal: control.signal });
    control.abort();
    await expect(file.at('X')).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }));
    const opening = openSource(endless, { signal: control.signal });
    await expect(opening).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }));
  });

  test('takes no more memory than it may', async () => {
    const path = join(folder, 'large.h5');
    const shape = [8, 2 ** 22];
    await writeH5(path, (file) =>
      file.create_dataset({
        ...{ name: 'X', data: new Uint8Array(2 ** 25), shape },
        ...{ chunks: shape, compression: 'gzip' as const, compression_opts: [1] },
      }),
    );
    const firstRow = async (memory: number) => {
      const file = await hdf5File(path, { memory });
      try {
        const array = await file.at('X');
        return array?.kind === 'array' && (await array.numbers(0, 1)).length;
      } finally {
        await file.close();
      }
    };
    await expect(firstRow(2 ** 25)).rejects.toThrow(/large\.h5: .* more memory than it may have/);
    expect(await firstRow(2 ** 27)).toBe(2 ** 22);
  });
});

import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSource } from '../../../src/formats/node/open.ts';
import { FormatError } from '../../../src/rows/errors.ts';
import { holds } from '../../property.ts';
import { signs, spelled, tableOf } from '../helpers.ts';
import { addNames, addSparse, sparseOf, writeH5 } from './write.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pcae-'));
});
afterAll(() => rm(folder, { recursive: true }));

const place = (name: string) => join(folder, name);
const counts = [
  [0, 3, 0, 1],
  [0, 0, 0, 0],
  [7, 0, 0, 2],
];
const present = signs(counts.map((row) => row.map((x) => (x > 0 ? 1 : 0))));

describe('HDF5', () => {
  test('AnnData: sparse by rows or by columns, and dense, with names', async () => {
    for (const kind of ['csr', 'csc', 'dense'] as const) {
      const path = place(`${kind}.h5ad`);
      await writeH5(path, (file) => {
        if (kind !== 'dense') addSparse(file, 'X', sparseOf(counts, kind));
        else
          file.create_dataset({
            ...{ name: 'X', data: Float32Array.from(counts.flat()), shape: [3, 4] },
            ...{ chunks: [2, 4], compression: 'gzip' as const, compression_opts: [4] },
          });
        addNames(file, 'obs', ['cell a', 'cell b', 'cell c']);
        addNames(file, 'var', ['CD3E', 'CD4', 'CD8A', 'MS4A1']);
      });
      await expect(openSource(path), kind).rejects.toThrow(/--values presence/);
      const source = await openSource(path, { values: 'presence' });
      expect(await tableOf(source), kind).toEqual(present);
      // It can be read as often as one likes.
      expect(await tableOf(source), kind).toEqual(present);
      expect(spelled(source)).toMatchObject({
        format: 'h5',
        columns: ['CD3E', 'CD4', 'CD8A', 'MS4A1'],
        ids: ['cell a', 'cell b', 'cell c'],
        schema: { values: 'presence', kind: 'bits' },
      });
    }
  });

  test('10x: features by cells, column after column, are rows of cells', async () => {
    const path = place('filtered.h5');
    const { data, indices, indptr } = sparseOf(counts, 'csr');
    await writeH5(path, (file) => {
      const group = file.create_group('matrix');
      for (const [name, values] of Object.entries({ data, indices, indptr })) {
        group.create_dataset({ name, data: values });
      }
      group.create_dataset({ name: 'shape', data: new Int32Array([4, 3]) });
      group.create_dataset({ name: 'barcodes', data: ['AAA-1', 'AAC-1', 'AAG-1'] });
      group.create_group('features').create_dataset({ name: 'name', data: ['a', 'b', 'c', 'd'] });
    });
    const source = await openSource(path, { values: 'presence' });
    expect(await tableOf(source)).toEqual(present);
    expect(spelled(source)).toMatchObject({
      columns: ['a', 'b', 'c', 'd'],
      ids: ['AAA-1', 'AAC-1', 'AAG-1'],
    });
  });

  test('one of several matrices is chosen', async () => {
    const path = place('several.h5');
    await writeH5(path, (file) => {
      file.create_dataset({ name: 'first', data: new Uint8Array([0, 1, 1, 0]), shape: [2, 2] });
      addSparse(file.create_group('layers') as typeof file, 'counts', sparseOf(counts, 'csr'));
      file.create_dataset({ name: 'words', data: ['no', 'matrix'] });
    });
    await expect(openSource(path)).rejects.toThrow(
      'holds 2 matrices: first, layers/counts. Choose one with --variable.',
    );
    expect(await tableOf(await openSource(path, { variable: 'first' }))).toEqual(
      signs([
        [0, 1],
        [1, 0],
      ]),
    );
    const counted = await openSource(path, { variable: 'layers/counts', values: 'presence' });
    expect(counted).toMatchObject({ V: 4, schema: { variable: 'layers/counts' } });
    await expect(openSource(path, { variable: 'words' })).rejects.toThrow('is not a matrix of numbers');
    await expect(openSource(path, { variable: 'nothing' })).rejects.toThrow('is not a matrix of numbers');
  });

  test('rows come in pieces of any size', async () => {
    const bits = Array.from({ length: 57 }, (_, i) =>
      Array.from({ length: 9 }, (_, v) => Number((i * v) % 5 === 1)),
    );
    const path = place('pieces.h5ad');
    await writeH5(path, (file) => addSparse(file, 'X', sparseOf(bits, 'csr')));
    const source = await openSource(path);
    for (const size of [1, 8, 100]) {
      let rows = 0;
      for await (const chunk of source.chunks(size)) {
        expect(chunk.n).toBeLessThanOrEqual(size);
        rows += chunk.n;
      }
      expect(rows).toBe(57);
    }
    expect(await tableOf(source)).toEqual(signs(bits));
  });

  test('that lies about its entries is refused', async () => {
    const good = sparseOf(counts, 'csr');
    const lies = {
      column: { ...good, indices: good.indices.map((v) => v + 2) },
      falling: { ...good, indptr: new Int32Array([0, 3, 2, 4]) },
      beyond: { ...good, indptr: new Int32Array([0, 2, 2, 9]) },
      short: { ...good, indptr: new Int32Array([0, 2, 4]) },
      values: { ...good, data: good.data.slice(1) },
      rows: { ...good, shape: [2 ** 45, 4] as const },
      columns: { ...good, shape: [3, 2 ** 40] as const },
    };
    for (const [name, sparse] of Object.entries(lies)) {
      await writeH5(place(`${name}.h5ad`), (file) => addSparse(file, 'X', sparse));
      const reading = openSource(place(`${name}.h5ad`), { values: 'presence' }).then(tableOf);
      await expect(reading, name).rejects.toThrow(FormatError);
      await expect(reading, name).rejects.toThrow(name);
    }
  });

  test('that is damaged is refused or read, and nothing else happens', async () => {
    const path = place('damaged.h5ad');
    await writeH5(path, (file) => addSparse(file, 'X', sparseOf(counts, 'csr')));
    const bytes = await readFile(path);
    for (const length of [9, 100, 800, bytes.length - 1]) {
      await writeFile(path, bytes);
      await truncate(path, length);
      await expect(openSource(path, { values: 'presence' }), String(length)).rejects.toThrow(FormatError);
    }
    await holds(
      fc.asyncProperty(fc.nat(bytes.length - 9), fc.integer({ min: 0, max: 255 }), async (at, value) => {
        const changed = Uint8Array.from(bytes);
        changed[8 + at] = value;
        await writeFile(path, changed);
        try {
          await tableOf(await openSource(path, { values: 'presence' }));
        } catch (error) {
          expect(error).toBeInstanceOf(FormatError);
        }
      }),
      { seed: 5, numRuns: 60 },
    );
  });

  test('is read from files alone', async () => {
    const { openBytes } = await import('../../../src/formats/open.ts');
    const { memoryBytes } = await import('../../../src/formats/bytes.ts');
    const bytes = memoryBytes(
      'x.h5',
      Uint8Array.from('\x89HDF\r\n\x1a\n', (letter) => letter.charCodeAt(0)),
    );
    await expect(openBytes(bytes)).rejects.toThrow('only be read from a file');
  });
});

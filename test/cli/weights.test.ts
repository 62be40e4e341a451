import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readMask, readWeights } from '../../src/cli/weights.ts';
import { npyFile } from '../../src/formats/npy.ts';
import { workFolder } from './helpers.ts';

const at = workFolder();
const weights = Float32Array.of(1, 0, 2.5);

it('whole numbers are not taken for bits that are written together', async () => {
  writeFileSync(at('whole.txt'), '10\n11\n3\n');
  expect(await readWeights(at('whole.txt'), 3, 'row')).toEqual(Float32Array.of(10, 11, 3));
});

it('weights are read from a text, from an NPY column, and from an NPY vector as numpy saves it', async () => {
  writeFileSync(at('w.txt'), '1\n0\n2.5\n');
  writeFileSync(at('column.npy'), npyFile(weights, [3, 1]));
  writeFileSync(at('vector.npy'), npyFile(weights, [3]));
  for (const name of ['w.txt', 'column.npy', 'vector.npy']) {
    expect(await readWeights(at(name), 3, 'row'), name).toEqual(weights);
    await expect(readWeights(at(name), 4, 'row')).rejects.toThrow(
      'holds 3 rows, expected one for each of the 4 rows of the data',
    );
  }
});

it.each([',', ';', '|', '\t', ' '])('weights may have names before %j', async (delimiter) => {
  writeFileSync(at('named.txt'), ['a 1', 'b 0', 'c 2.5'].join('\n').replaceAll(' ', delimiter));
  expect(await readWeights(at('named.txt'), 3, 'row')).toEqual(weights);
});

it('masks are read by the same reader as weights: with or without names, and formats of bits too', async () => {
  writeFileSync(at('mask.csv'), 'name,h1,h2\na,1,0\nb,0,1\n');
  writeFileSync(at('mask.npy'), npyFile(Float32Array.of(1, 0, 0, 1), [2, 2]));
  writeFileSync(at('mask.mtx'), '%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 1\n2 2\n');
  for (const name of ['mask.csv', 'mask.npy', 'mask.mtx'])
    expect(await readMask(at(name), 2, 2), name).toEqual(Uint8Array.of(1, 0, 0, 1));
  await expect(readMask(at('mask.csv'), 2, 3)).rejects.toThrow('holds 2 numbers per row, expected 3');
  writeFileSync(at('odd.csv'), '1,0\n0.5,1\n');
  await expect(readMask(at('odd.csv'), 2, 2)).rejects.toThrow('row 2, column 1: found 0.5, expected 0 or 1');
  writeFileSync(at('word.csv'), '1,0\nx,1\n');
  await expect(readMask(at('word.csv'), 2, 2)).rejects.toThrow(
    "row 2, column 1: found 'x', expected a number",
  );
  writeFileSync(at('gap.csv'), '1,0\n,1\n');
  await expect(readMask(at('gap.csv'), 2, 2)).rejects.toThrow(
    'row 2, column 1: found NaN, expected a number, none missing',
  );
});

import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readWeights } from '../../src/cli/weights.ts';
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
      'holds 3 weights, expected one for each of the 4',
    );
  }
});

it.each([',', ';', '|', '\t', ' '])('weights may have names before %j', async (delimiter) => {
  writeFileSync(at('named.txt'), ['a 1', 'b 0', 'c 2.5'].join('\n').replaceAll(' ', delimiter));
  expect(await readWeights(at('named.txt'), 3, 'row')).toEqual(weights);
});

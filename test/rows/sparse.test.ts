import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SparseBuilder, sparseSource } from '../../src/rows/sparse.ts';
import { type Reading, readNumbers } from '../../src/rows/values.ts';
import { signs, table, tableOf } from '../formats/helpers.ts';
import { holds } from '../property.ts';

const bits: Reading = { values: 'bits', binarize: 'none', seed: 0, exact: true };

describe('sparse rows', () => {
  test('entries in any order, some twice', async () => {
    const builder = new SparseBuilder('file', 2 ** 20);
    for (const [row, item] of [
      [2, 1],
      [0, 9],
      [2, 0],
      [2, 1],
      [0, 3],
    ])
      builder.add(row, item);
    const sparse = builder.build(3, 10);
    expect(Array.from(sparse.offsets)).toEqual([0, 2, 2, 4]);
    expect(Array.from(sparse.items)).toEqual([3, 9, 0, 1]);
    expect(await tableOf(sparseSource(sparse, bits))).toEqual(
      signs([[0, 0, 0, 1, 0, 0, 0, 0, 0, 1], Array(10).fill(0), [1, 1, 0, 0, 0, 0, 0, 0, 0, 0]]),
    );
  });

  test('are what the dense rows would be, sampled too', async () => {
    const cell = fc.constantFrom(0, 0, 0, 0.25, 0.5, 1);
    await holds(
      fc.asyncProperty(
        fc.array(fc.array(cell, { minLength: 5, maxLength: 5 }), { minLength: 1, maxLength: 8 }),
        async (rows) => {
          const builder = new SparseBuilder('file', 2 ** 20);
          rows.forEach((row, i) => {
            row.forEach((x, v) => {
              if (x !== 0) builder.add(i, v, x);
            });
          });
          const sparse = builder.build(rows.length, 5);
          for (const binarize of ['sample', 'threshold', 'none'] as const) {
            const reading: Reading = { values: 'unit', binarize, seed: 11, exact: false };
            const dense = readNumbers('file', Float64Array.from(rows.flat()), 5, 0, reading);
            expect(await tableOf(sparseSource(sparse, reading))).toEqual(table(dense));
          }
        },
      ),
      { numRuns: 50, seed: 2 },
    );
  });

  test('the limit of entries', () => {
    const builder = new SparseBuilder('big', 24 * 1024);
    expect(() => {
      for (let k = 0; k < 2000; k++) builder.add(0, k);
    }).toThrow('big: holds more than 1024 entries');
  });
});

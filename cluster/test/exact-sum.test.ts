import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ExactSum, gridOf } from '../src/exact-sum.ts';

const grid = gridOf(1000);
const sumOf = (parts: readonly (readonly number[])[], length: number) => {
  const sum = new ExactSum(length, grid);
  for (const part of parts) sum.add(part);
  return sum;
};

describe('sums on a grid', () => {
  it('are the same for any order and any division of the shards, and close to the sum in float64', () => {
    const number = fc.double({ min: -1e6, max: 1e6, noNaN: true });
    const shards = fc.array(fc.tuple(number, number), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(shards, fc.infiniteStream(fc.nat(3)), (parts, hands) => {
        const workers = [0, 1, 2, 3].map(() => [] as [number, number][]);
        for (const part of parts) workers[hands.next().value].push(part);
        const together = new ExactSum(2, grid);
        for (const its of workers.reverse()) together.addParts(sumOf(its, 2).parts());
        const total = sumOf(parts, 2).total();
        expect(together.total()).toEqual(total);
        for (const k of [0, 1]) {
          const exact = parts.reduce((sum, part) => sum + part[k], 0);
          expect(Math.abs(total[k] - exact)).toBeLessThan(grid * parts.length + 1e-6);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('take four bytes per number where those are enough, and say so where a sum is none', () => {
    expect(sumOf([[1, -2]], 2).parts()).toBeInstanceOf(Int32Array);
    expect(sumOf([[1e6, -2]], 2).parts()).toBeInstanceOf(Float64Array);
    expect(() => sumOf([[Number.NaN]], 1).parts()).toThrow(/not a number/);
  });
});

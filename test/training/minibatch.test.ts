import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { minibatchCount, minibatches, rateAt, warmedUp } from '../../src/training/minibatch.ts';
import { holds } from '../property.ts';

describe('minibatches', () => {
  it('visit every row once, in pieces of at most the size asked for', () =>
    holds(
      fc.property(
        fc.integer({ min: 1, max: 500 }),
        fc.integer({ min: 1, max: 600 }),
        fc.integer({ min: 0, max: 99 }),
        (n, size, seed) => {
          const seen = new Uint8Array(n);
          for (const { start, end } of minibatches(n, size, seed)) {
            expect(end - start).toBeLessThanOrEqual(size);
            for (let i = start; i < end; i++) seen[i]++;
          }
          expect(seen.every((count) => count === 1)).toBe(true);
        },
      ),
      { seed: 7 },
    ));

  it('are counted block by block', () =>
    holds(
      fc.property(
        fc.integer({ min: 1, max: 500 }),
        fc.integer({ min: 1, max: 600 }),
        fc.integer({ min: 1, max: 600 }),
        (n, blockRows, size) => {
          let count = 0;
          for (let first = 0; first < n; first += blockRows) {
            count += minibatches(Math.min(blockRows, n - first), size, 0).length;
          }
          expect(minibatchCount(n, blockRows, size)).toBe(count);
        },
      ),
      { seed: 8 },
    ));

  it('come in another order for another seed', () => {
    expect(minibatches(1000, 10, 1)).not.toEqual(minibatches(1000, 10, 2));
    expect(minibatches(1000, 10, 1)).toEqual(minibatches(1000, 10, 1));
  });
});

describe('the rate', () => {
  it('falls along half a wave from the whole to the floor', () => {
    expect([0, 0.5, 1, 2].map((progress) => rateAt(8, progress))).toEqual([8, 4, 0, 0]);
    expect([0, 0.5, 1].map((progress) => rateAt(8, progress, 0.25))).toEqual([8, 5, 2]);
  });

  it('grows to its full size in the first twenty steps', () => {
    expect([1, 10, 20, 500].map((step) => warmedUp(2, step))).toEqual([0.1, 1, 2, 2]);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dealt } from '../../src/jobs/deal.ts';

const names = ['ann', 'bob', 'cat', 'dan', 'eve'];
const some = fc.subarray(names, { minLength: 1 });

describe('dealing shards', () => {
  it('gives all of them to those who are there, evenly, and moves no more than that takes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), some, some, (count, first, second) => {
        const before = dealt(Array(count).fill(undefined), first);
        const after = dealt(before, second);
        const counts = second.map((name) => after.filter((owner) => owner === name).length);
        expect(counts.reduce((a, b) => a + b)).toBe(count);
        expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
        // Who stays keeps its shards, up to its part.
        for (const name of second) {
          const had = before.filter((owner) => owner === name).length;
          const kept = before.filter((owner, shard) => owner === name && after[shard] === name).length;
          expect(kept).toBeGreaterThanOrEqual(Math.min(had, Math.floor(count / second.length)));
        }
      }),
    );
  });

  it('gives neighbours to the same worker', () => {
    expect(dealt(Array(5).fill(undefined), ['bob', 'ann'])).toEqual(['ann', 'ann', 'ann', 'bob', 'bob']);
    expect(dealt(['ann', 'ann', 'ann', 'bob', 'bob'], ['ann', 'cat'])).toEqual([
      ...['ann', 'ann', 'ann', 'cat', 'cat'],
    ]);
  });
});

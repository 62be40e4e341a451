import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { folds, holdOut, permutation } from '../../src/rows/split.ts';
import { holds } from '../property.ts';

const all = (n: number) => Array.from({ length: n }, (_, i) => i);

describe('splits', () => {
  test('parts are ordered, disjoint and complete', () => {
    holds(
      fc.property(
        fc.integer({ min: 2, max: 60 }),
        fc.integer(),
        fc.integer({ min: 2, max: 9 }),
        (n, seed, k) => {
          const { kept, held } = holdOut(n, 0.2, seed);
          expect(held.length).toBe(Math.max(1, Math.round(0.2 * n)));
          const parts = k <= n ? folds(n, k, seed) : [];
          for (const part of [kept, held, ...parts])
            expect(Array.from(part)).toEqual(Array.from(part.slice().sort()));
          expect([...kept, ...held].sort((a, b) => a - b)).toEqual(all(n));
          if (parts.length) {
            expect(parts.flatMap((part) => [...part]).sort((a, b) => a - b)).toEqual(all(n));
            const sizes = parts.map((part) => part.length);
            expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
          }
        },
      ),
      { seed: 3 },
    );
  });

  test('the seed decides', () => {
    expect(permutation(50, 4)).toEqual(permutation(50, 4));
    expect(permutation(50, 4)).not.toEqual(permutation(50, 5));
    expect(Array.from(permutation(10, 0))).toMatchInlineSnapshot(`
      [
        1,
        4,
        8,
        2,
        6,
        5,
        9,
        0,
        3,
        7,
      ]
    `);
  });

  test('every order of three is about as frequent', () => {
    const counts = new Map<string, number>();
    for (let seed = 0; seed < 6000; seed++) {
      const key = permutation(3, seed).join();
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    expect(counts.size).toBe(6);
    for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(150);
  });

  test('refuses what makes no sense', () => {
    expect(() => holdOut(10, 1, 0)).toThrow('between 0 and 1');
    expect(() => holdOut(1, 0.5, 0)).toThrow('cannot be split');
    expect(() => folds(3, 4, 0)).toThrow('from 2 to the 3 rows');
  });
});

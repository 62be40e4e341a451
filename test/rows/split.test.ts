import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Rows, takeRows } from '../../src/rows/rows.ts';
import { folds, holdOut, permutation, split } from '../../src/rows/split.ts';
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
    expect(() => holdOut(1, 0.5, 0)).toThrow('at least two');
    expect(() => folds(3, 4, 0)).toThrow('from 2 to the 3 rows');
  });

  test('rows keep their weights and names, and those of weight 0 are as if they were not there', () => {
    holds(
      fc.property(fc.array(fc.nat(3), { minLength: 4, maxLength: 60 }), fc.integer(), (drawn, seed) => {
        const rowWeights = Float64Array.from([1, 2, ...drawn]);
        const n = rowWeights.length;
        const ids = all(n).map(String);
        const rows: Rows = { kind: 'bits', n, V: 3, bits: Uint8Array.from(ids, (_, i) => i & 7), ids };
        const counted = all(n).filter((i) => rowWeights[i] > 0);
        const few = { rows: takeRows(rows, counted), rowWeights: rowWeights.filter((weight) => weight > 0) };
        for (const share of [0.3, undefined]) {
          const { training, held } = split({ rows, rowWeights }, share, seed);
          expect(named(training)).toEqual(named(split(few, share, seed).training));
          expect(named(held)).toEqual(named(split(few, share, seed).held));
          for (const part of [training, held]) {
            for (const [i, id] of [...(part?.rows.ids ?? [])].entries())
              expect(part?.rowWeights?.[i]).toBe(rowWeights[Number(id)]);
          }
          if (share) continue;
          expect(named(training)).toEqual(counted.map(String));
        }
        const { kept, held } = holdOut(n, 0.3, seed);
        const alike = split({ rows }, 0.3, seed);
        expect([named(alike.training), named(alike.held)]).toEqual([
          [...kept].map(String),
          [...held].map(String),
        ]);
      }),
      { seed: 4 },
    );
  });

  test('rows of their own to measure on stay as they are', () => {
    const rows: Rows = { kind: 'bits', n: 2, V: 1, bits: Uint8Array.of(0, 1) };
    const other: Rows = { kind: 'bits', n: 1, V: 1, bits: Uint8Array.of(1) };
    const { training, held } = split({ rows }, other, 1);
    expect(training.rows).toBe(rows);
    expect(held?.rows).toBe(other);
  });
});

const named = (part: { readonly rows: Rows } | undefined) => part && [...(part.rows.ids ?? [])];

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { categoryOf, groupOfColumn, normaliseGroups } from '../../src/rows/groups.ts';
import { holds } from '../property.ts';

const groups = [
  { name: 'colour', first: 1, values: ['blue', 'green', 'red'] },
  { name: 'drink', first: 4, values: ['coffee', 'tea'] },
];
const V = 7;

describe('groups of columns', () => {
  it('become distributions; other columns, and the order within a group, stay as they are', () => {
    holds(
      fc.property(
        fc.array(fc.float({ min: -1, max: 1, noNaN: true }), { minLength: V, maxLength: 2 * V }),
        (values) => {
          const decoded = Float32Array.from(values.slice(0, V * Math.floor(values.length / V)));
          const shares = normaliseGroups(decoded, V, groups);
          for (let at = 0; at < decoded.length; at += V) {
            for (const v of [0, 6]) expect(shares[at + v]).toBe(decoded[at + v]);
            for (const { first, values: names } of groups) {
              const p = Array.from(
                shares.subarray(at + first, at + first + names.length),
                (x) => (1 + x) / 2,
              );
              expect(p.reduce((sum, x) => sum + x, 0)).toBeCloseTo(1, 5);
              names.forEach((_, j) => {
                names.forEach((__, k) => {
                  if (decoded[at + first + j] > decoded[at + first + k])
                    expect(p[j]).toBeGreaterThanOrEqual(p[k] - 1e-6);
                });
              });
            }
          }
        },
      ),
      { seed: 2 },
    );
  });

  it('name the most likely value, and none where nothing is known', () => {
    const values = Float32Array.of(0, -0.9, 0.2, -0.5, Number.NaN, Number.NaN, 1);
    const rows = { kind: 'real', n: 1, V, values } as const;
    expect(categoryOf(rows, 0, groups[0])).toBe('green');
    expect(categoryOf(rows, 0, groups[1])).toBeUndefined();
    expect(groupOfColumn(groups, V).map((group) => group?.name)).toEqual([
      undefined,
      'colour',
      'colour',
      'colour',
      'drink',
      'drink',
      undefined,
    ]);
  });
});

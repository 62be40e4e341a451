import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keepHighest } from '../../src/rows/highest.ts';
import { holds } from '../property.ts';

describe('keepHighest', () => {
  it('keeps what sorting would put first, the first of equals first', () => {
    holds(
      fc.property(
        fc.array(fc.integer({ min: -4, max: 4 }), { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 1, max: 12 }),
        (offered, k) => {
          const scores = new Float64Array(k).fill(Number.NEGATIVE_INFINITY);
          const places = new Int32Array(k).fill(-1);
          offered.forEach((score, place) => {
            keepHighest(scores, places, score, place);
          });
          const sorted = offered.map((_, i) => i).sort((a, b) => offered[b] - offered[a] || a - b);
          expect(Array.from(places).filter((place) => place >= 0)).toEqual(sorted.slice(0, k));
        },
      ),
      { seed: 3 },
    );
  });
});

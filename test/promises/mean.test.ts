import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { isBelow, meanBound } from '../../src/promises/mean.ts';
import { holds } from '../property.ts';
import {
  broken,
  CEILING,
  cases,
  draw,
  meanOf,
  mostBroken,
  sources,
  timesFor,
  uniforms,
  unsorted,
} from './sources.ts';

const TIMES = 2000;

describe('the mean', () => {
  test.each(cases)('%s, %i rows: promises are broken in a share of %f at most', (name, n, delta) => {
    const source = sources[name];
    const truth = meanOf(source);
    const times = timesFor(source);
    const count = broken(
      times,
      n,
      (random) => meanBound(draw(source, n, random), CEILING, -Math.log(delta)) < truth,
    );
    expect(count).toBeLessThanOrEqual(mostBroken(times, delta));
  });

  it('is promised of a table, too, whose rows are drawn without replacement', () => {
    const table = unsorted(sources['heavy tails'], 100, uniforms(3));
    const truth = meanOf(table);
    const count = broken(TIMES, 4, (random) => {
      const rows = table.slice();
      for (let i = 0; i < 60; i++) {
        const j = i + Math.floor(random() * (rows.length - i));
        [rows[i], rows[j]] = [rows[j], rows[i]];
      }
      return meanBound(rows.subarray(0, 60), CEILING, -Math.log(0.1)) < truth;
    });
    expect(count).toBeLessThanOrEqual(mostBroken(TIMES, 0.1));
  });

  it('does not depend on the order of the rows, which may drift', () => {
    holds(
      fc.property(fc.integer({ min: 1, max: 300 }), fc.integer(), (n, seed) => {
        const rising = draw(sources['heavy tails'], n, uniforms(seed));
        const bound = meanBound(rising, CEILING, 4.6);
        expect(meanBound(rising.slice().reverse(), CEILING, 4.6)).toBeCloseTo(bound, 6);
      }),
      { seed: 1, numRuns: 50 },
    );
  });

  it('is below the bounds of Hoeffding and of Bernstein, from some rows on', () => {
    const random = uniforms(5);
    for (const name of ['light tails', 'heavy tails', 'ties', 'constant', 'seldom the ceiling']) {
      for (const n of [100, 1000, 10_000]) {
        const rows = draw(sources[name], n, random);
        const bound = meanBound(rows, CEILING, -Math.log(0.01));
        expect(bound, `${name}, ${n}`).toBeLessThan(hoeffding(rows, 0.01));
        expect(bound, `${name}, ${n}`).toBeLessThan(bernstein(rows, 0.01));
      }
    }
  });

  it('comes close to what the central limit theorem would say, for many rows', () => {
    const rows = draw(sources['light tails'], 20_000, uniforms(6));
    const mean = meanOf(rows);
    const error = Math.sqrt(variance(rows) / rows.length);
    const bound = meanBound(rows, CEILING, -Math.log(0.01));
    // 2.33 standard errors is what it would be for normal losses; Markov's inequality and unknown variance
    // cost the rest.
    expect((bound - mean) / error).toBeGreaterThan(2.33);
    expect((bound - mean) / error).toBeLessThan(4);
  });

  it('of nothing but zeros is that of a coin that never fell', () => {
    // With all of n losses 0 and all of the stake bet, the capital is (1 - m)^-n, half of it if there are two
    // stakes.
    const bound = meanBound(new Float64Array(20), 1, -Math.log(0.01));
    expect(bound).toBeGreaterThan(1 - 0.01 ** (1 / 20));
    expect(bound).toBeLessThan(1 - (0.01 / 2) ** (1 / 20));
  });

  it('is where the capital reaches what the confidence asks for: the mean of what two stakes end with', () => {
    const ratio = 1 / (1 - meanBound(new Float64Array(20), 1, -Math.log(0.01)));
    expect((ratio ** 20 + ((1 + ratio) / 2) ** 20) / 2).toBeCloseTo(100, 4);
  });

  it('is the ceiling without rows, and never more', () => {
    expect(meanBound([], 5, 4)).toBe(5);
    expect(meanBound([5, 5, 5], 5, 4)).toBe(5);
    expect(meanBound([1], 5, 4)).toBeLessThanOrEqual(5);
  });

  it('is where the evidence against larger means begins', () => {
    const rows = draw(sources.ties, 500, uniforms(7));
    const bound = meanBound(rows, CEILING, 4.6);
    expect(isBelow(bound * (1 + 1e-8), rows, CEILING, 4.6)).toBe(true);
    expect(isBelow(bound * (1 - 1e-8), rows, CEILING, 4.6)).toBe(false);
  });
});

/** Yardsticks: Hoeffding (1963), and the empirical Bernstein bound of Maurer and Pontil (2009). */
function hoeffding(rows: Float64Array, delta: number): number {
  return meanOf(rows) + CEILING * Math.sqrt(Math.log(1 / delta) / (2 * rows.length));
}

function bernstein(rows: Float64Array, delta: number): number {
  const evidence = Math.log(2 / delta);
  const n = rows.length;
  return (
    meanOf(rows) + Math.sqrt((2 * variance(rows) * evidence) / n) + (7 * CEILING * evidence) / (3 * (n - 1))
  );
}

function variance(rows: Float64Array): number {
  const mean = meanOf(rows);
  return rows.reduce((sum, row) => sum + (row - mean) ** 2, 0) / (rows.length - 1);
}

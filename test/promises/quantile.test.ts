import { describe, expect, it, test } from 'vitest';
import { quantileBound } from '../../src/promises/quantile.ts';
import { broken, CEILING, cases, draw, mostBroken, shareAtMost, sources, timesFor } from './sources.ts';

describe('a quantile', () => {
  test.each(cases)('%s, %i rows: promises are broken in a share of %f at most', (name, n, delta) => {
    const source = sources[name];
    const times = timesFor(source);
    for (const share of [0.8, 0.95]) {
      const count = broken(times, n, (random) => {
        const bound = quantileBound(draw(source, n, random), CEILING, share, delta);
        return shareAtMost(source, bound) < share;
      });
      expect(count, `${share}`).toBeLessThanOrEqual(mostBroken(times, delta));
    }
  });

  it('is the smallest loss that will do', () => {
    const losses = Float64Array.from({ length: 1000 }, (_, i) => i + 1);
    // Tables of tolerance bounds: for 95% of the rows with 99% confidence the 966th of 1,000; 59 rows for
    // 95% / 95%.
    expect(quantileBound(losses, 2000, 0.95, 0.01)).toBe(966);
    expect(quantileBound(losses.subarray(0, 59), 2000, 0.95, 0.05)).toBe(59);
  });

  it('of too few rows is the ceiling', () => {
    expect(quantileBound(new Float64Array(58), 7, 0.95, 0.05)).toBe(7);
    expect(quantileBound([], 7, 0.95, 0.05)).toBe(7);
  });
});

import { describe, expect, it, test } from 'vitest';
import { meanBound } from '../../src/promises/mean.ts';
import { tailBound } from '../../src/promises/tail.ts';
import { broken, CEILING, cases, draw, meanOf, mostBroken, sources, timesFor, uniforms } from './sources.ts';

describe('the worst rows', () => {
  test.each(cases)('%s, %i rows: promises are broken in a share of %f at most', (name, n, delta) => {
    const source = sources[name];
    const times = timesFor(source);
    for (const share of [0.1, 0.5]) {
      const worst = meanOf(source.slice(Math.round((1 - share) * source.length)));
      // Losses are sorted, so that a seed chooses ranks: all calibrations with the default seed, and each
      // with one of its own.
      for (const first of [1, 0]) {
        let seed = first;
        const count = broken(times, n, (random) => {
          const bound = tailBound(draw(source, n, random), CEILING, share, -Math.log(delta), seed);
          if (first === 0) seed++;
          return bound < worst;
        });
        expect(count, `${share}, ${first}`).toBeLessThanOrEqual(mostBroken(times, delta));
      }
    }
  });

  it('cost more than all rows, less than the ceiling, and not much more than they do', () => {
    const source = sources['light tails'];
    const rows = draw(source, 5000, uniforms(2));
    const bound = tailBound(rows, CEILING, 0.1, -Math.log(0.01), 1);
    const worst = meanOf(source.slice(0.9 * source.length));
    expect(bound).toBeGreaterThan(worst);
    expect(bound).toBeLessThan(1.2 * worst);
    expect(bound).toBeGreaterThan(meanBound(rows, CEILING, -Math.log(0.01)));
  });

  it('of nothing but zeros are bounded by the mean of nine tenths of them', () => {
    const [zeros, evidence] = [new Float64Array(2000), -Math.log(0.01)];
    for (const share of [0.1, 0.5])
      expect(tailBound(zeros, 1, share, evidence, 1)).toBeCloseTo(
        meanBound(zeros.subarray(200), 1, evidence) / share,
        12,
      );
  });

  it('of one row or none are anything', () => {
    expect(tailBound([1], CEILING, 0.1, 4.6, 1)).toBe(CEILING);
    expect(tailBound([], CEILING, 0.1, 4.6, 1)).toBe(CEILING);
  });
});

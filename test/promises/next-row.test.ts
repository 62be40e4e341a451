import { describe, expect, it, test } from 'vitest';
import { nextRowBound } from '../../src/promises/next-row.ts';
import {
  broken,
  CEILING,
  cases,
  draw,
  mostBroken,
  sources,
  timesFor,
  uniforms,
  unsorted,
} from './sources.ts';

describe('the next row', () => {
  test.each(cases)('%s, %i rows: it costs more in a share of %f at most', (name, n, delta) => {
    const source = sources[name];
    const times = 2 * timesFor(source) - 1;
    const count = broken(times, n, (random) => {
      const bound = nextRowBound(draw(source, n, random), CEILING, 1 - delta);
      return unsorted(source, 1, random)[0] > bound;
    });
    expect(count).toBeLessThanOrEqual(mostBroken(times, delta));
  });

  it('costs no less than promised either, without ties: the share is 1 / (n + 1) above what was asked at most', () => {
    const random = uniforms(9);
    const times = 4000;
    let kept = 0;
    for (let i = 0; i < times; i++) {
      const rows = Float64Array.from({ length: 30 }, random).sort();
      if (random() <= nextRowBound(rows, 1, 0.9)) kept++;
    }
    // 28 of 31 places; five standard errors.
    expect(Math.abs(kept / times - 28 / 31)).toBeLessThan(5 * Math.sqrt((0.9 * 0.1) / times));
  });

  it('takes the place that the share asks for, and the ceiling where there is none', () => {
    const rows = Float64Array.from({ length: 19 }, (_, i) => i + 1);
    expect(nextRowBound(rows, 100, 0.95)).toBe(19);
    expect(nextRowBound(rows, 100, 0.951)).toBe(100);
    expect(nextRowBound(rows, 100, 0.9)).toBe(18);
    expect(nextRowBound([], 100, 0.5)).toBe(100);
  });
});

import { describe, expect, it, test } from 'vitest';
import { sameSource } from '../../src/promises/same-source.ts';
import { broken, draw, mostBroken, sources, timesFor, uniforms, unsorted } from './sources.ts';

const cases = Object.keys(sources).flatMap((name) =>
  [20, 300].flatMap((n) => [1, 50].map((m) => [name, n, m] as const)),
);

describe('the same source', () => {
  test.each(cases)(
    '%s, %i rows and %i new ones: p-values are at most as often small as they say',
    (name, n, m) => {
      const source = sources[name];
      const times = timesFor(source);
      const random = uniforms(n + m);
      const pValues = Array.from(
        { length: times },
        () => sameSource(draw(source, n, random), unsorted(source, m, random)).pValue,
      );
      for (const level of [0.2, 0.05, 0.01]) {
        const count = pValues.filter((p) => p <= level).length;
        expect(count, `${level}`).toBeLessThanOrEqual(mostBroken(times, level));
      }
    },
  );

  it('is told from another one', () => {
    const power = broken(200, 3, (random) => {
      const rows = draw(sources['light tails'], 1000, random);
      const harder = unsorted(sources['light tails'], 200, random).map((loss) => loss + 4);
      return sameSource(rows, harder).pValue < 0.001;
    });
    expect(power).toBe(200);
  });

  it('says how many rows lie above the line', () => {
    const rows = Float64Array.from({ length: 99 }, (_, i) => i + 1);
    expect(sameSource(rows, [95, 95.5, 200, 3])).toMatchObject({ n: 4, line: 95, above: 0.5 });
    expect(sameSource(rows, [1, 2]).pValue).toBe(1);
    // Two new rows in the last 5 of 100 places of their own: 5/100, then 6/101.
    expect(sameSource(rows, [200, 300]).pValue).toBeCloseTo((5 * 6) / (100 * 101), 12);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ball, bits, box, type Encoding, nonnegative, real, simplex } from '../../src/encodings/index.ts';
import { holds } from '../property.ts';

/** What every encoding obeys: projection is the nearest point, and the gap bounds every linear gain. */
const encodings: [string, Encoding, number][] = [
  ['box', box, 1],
  ['real', real(5), 5],
  ['bits', bits, 1],
  ['nonnegative', nonnegative(5), 5],
  ['simplex', simplex(), 1],
  ['simplex of total 3', simplex(3), 3],
  ['ball', ball(), 1],
  ['ball of radius 2', ball(2), 2],
];

const vector = (size: number) =>
  fc.array(fc.double({ min: -9, max: 9, noNaN: true }), { minLength: size, maxLength: size });
const pair = fc.integer({ min: 1, max: 6 }).chain((H) => fc.tuple(vector(H), vector(H), vector(H)));
const settings = { seed: 11, numRuns: 200 };

describe.each(encodings)('%s', (_name, encoding, radius) => {
  const projected = (e: readonly number[]) => {
    const out = Float64Array.from(e);
    encoding.project(out);
    return out;
  };
  const distance = (a: ArrayLike<number>, b: ArrayLike<number>) =>
    Array.from(a).reduce((sum, x, h) => sum + (x - b[h]) ** 2, 0);

  it('projects into the set, and twice is once', () => {
    holds(
      fc.property(pair, ([e]) => {
        const once = projected(e);
        expect(Math.max(...once.map(Math.abs))).toBeLessThanOrEqual(radius + 1e-12);
        if (encoding.discrete) expect(once.every((x) => x === 1 || x === -1)).toBe(true);
        if (encoding.name === 'ball') expect(Math.hypot(...once)).toBeLessThanOrEqual(radius + 1e-12);
        if (encoding.name === 'nonnegative') expect(Math.min(...once)).toBeGreaterThanOrEqual(0);
        if (encoding.name === 'simplex') {
          expect(Math.min(...once)).toBeGreaterThanOrEqual(0);
          expect(once.reduce((sum, x) => sum + x, 0)).toBeCloseTo(radius, 10);
        }
        expect(distance(projected(Array.from(once)), once)).toBeLessThan(1e-24);
      }),
      settings,
    );
  });

  it('projects to the nearest point', () => {
    holds(
      fc.property(pair, ([e, other]) => {
        expect(distance(projected(e), e)).toBeLessThanOrEqual(distance(projected(other), e) + 1e-12);
      }),
      settings,
    );
  });

  it('bounds what any other point could gain on a linear function', () => {
    holds(
      fc.property(pair, ([e, other, g]) => {
        const [here, there] = [projected(e), projected(other)];
        const gain = g.reduce((sum, gh, h) => sum + gh * (here[h] - there[h]), 0);
        expect(gain).toBeLessThanOrEqual(encoding.gap(Float64Array.from(g), here) + 1e-9);
        expect(encoding.gap(new Float64Array(g.length), here)).toBe(0);
      }),
      settings,
    );
  });

  it('bounds it no more loosely than the set allows: a projected far step along -g comes as close as we like', () => {
    holds(
      fc.property(pair, ([e, , g]) => {
        const here = projected(e);
        const far = projected(g.map((gh) => -1e9 * gh));
        const gain = g.reduce((sum, gh, h) => sum + gh * (here[h] - far[h]), 0);
        expect(encoding.gap(Float64Array.from(g), here) - gain).toBeLessThan(1e-3);
      }),
      settings,
    );
  });
});

describe('an unbounded set', () => {
  it.each([real, nonnegative])(
    'is proven where the gradient is exactly zero, and bounds nothing elsewhere',
    (make) => {
      const set = make(Number.POSITIVE_INFINITY);
      expect(set.gap(Float64Array.of(0, 0), Float64Array.of(0.5, 2))).toBe(0);
      expect(set.gap(Float64Array.of(0, -0.1), Float64Array.of(0.5, 2))).toBe(Number.POSITIVE_INFINITY);
    },
  );
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ball } from '../../src/encodings/ball.ts';
import { encodings } from '../../src/encodings/by-name.ts';
import { nonnegative } from '../../src/encodings/nonnegative.ts';
import { real } from '../../src/encodings/real.ts';
import { simplex } from '../../src/encodings/simplex.ts';
import { holds } from '../property.ts';

/** What every encoding obeys: projection is the nearest point, and the gap bounds every linear gain. */
const cases = [
  ...encodings.map((encoding) => ({ encoding, radius: encoding.bounded ? 1 : 5 })),
  { encoding: simplex, radius: 3 },
  { encoding: ball, radius: 2 },
];

const vector = (size: number) =>
  fc.array(fc.double({ min: -9, max: 9, noNaN: true }), { minLength: size, maxLength: size });
const pair = fc.integer({ min: 1, max: 6 }).chain((H) => fc.tuple(vector(H), vector(H), vector(H)));
const settings = { seed: 11, numRuns: 200 };

describe.each(cases)('$encoding.name of size $radius', ({ encoding, radius }) => {
  const projected = (e: readonly number[]) => {
    const out = Float64Array.from(e);
    encoding.project(out, radius);
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
        expect(gain).toBeLessThanOrEqual(encoding.gap(Float64Array.from(g), here, radius) + 1e-9);
        expect(encoding.gap(new Float64Array(g.length), here, radius)).toBe(0);
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
        expect(encoding.gap(Float64Array.from(g), here, radius) - gain).toBeLessThan(1e-3);
      }),
      settings,
    );
  });
});

describe('an unbounded set', () => {
  it.each([real, nonnegative])(
    'is proven where the gradient is exactly zero, and bounds nothing elsewhere',
    (set) => {
      const e = Float64Array.of(0.5, 2);
      expect(set.gap(Float64Array.of(0, 0), e, Number.POSITIVE_INFINITY)).toBe(0);
      expect(set.gap(Float64Array.of(0, -0.1), e, Number.POSITIVE_INFINITY)).toBe(Number.POSITIVE_INFINITY);
    },
  );
});

describe('the start in a set', () => {
  const W = fc
    .record({ V: fc.integer({ min: 1, max: 5 }), H: fc.integer({ min: 1, max: 6 }) })
    .chain(({ V, H }) =>
      fc.record({
        V: fc.constant(V),
        H: fc.constant(H),
        W: fc
          .array(fc.double({ min: -3, max: 3, noNaN: true }), {
            minLength: V * (H + 1),
            maxLength: V * (H + 1),
          })
          .map((values) => Float32Array.from(values)),
      }),
    );

  it.each(encodings)('$name: is made of finite weights of the same shape, and leaves W alone', (encoding) => {
    holds(
      fc.property(W, ({ V, H, W }) => {
        const before = W.slice();
        const start = encoding.start(W, { V, H, bias: true });
        expect(start.length).toBe(W.length);
        expect(start.every(Number.isFinite)).toBe(true);
        expect(W).toEqual(before);
        if (encoding.free) expect(start).toEqual(W);
      }),
      settings,
    );
  });
});

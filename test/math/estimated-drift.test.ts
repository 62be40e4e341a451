import { describe, expect, it } from 'vitest';
import { chiSquareTail } from '../../src/math/chi-square.ts';
import { chiSquareQuantile, driftBox, driftEllipsoid, type Matrix, matrix } from '../../src/math.ts';
import { randomMatrices } from './random.ts';

describe('the quantiles of chi-square', () => {
  it.each([
    [0.95, 1, 3.841458820694124],
    [0.99, 2, 9.210340371976182],
    [0.95, 3, 7.814727903251179],
    [0.99, 33, 54.77553976011039],
    [0.5, 100, 99.33412924],
    [0.999999, 5, 35.88818688],
  ])('at %d with %i degrees: %d', (probability, degrees, expected) => {
    expect(chiSquareQuantile(probability, degrees)).toBeCloseTo(expected, 5);
  });

  it('leave what they should, to the last digits', () => {
    for (let degrees = 1; degrees <= 40; degrees++) {
      for (const tail of [0.5, 1e-3, 1e-9])
        expect(chiSquareTail(chiSquareQuantile(1 - tail, degrees), degrees) / tail).toBeCloseTo(1, 6);
    }
  });
});

/** Rows whose codes and bit depend on each other and on noise: the correlations of the source are known. */
function draw(seed: number, n: number): { x: Float64Array; E: Matrix } {
  const random = randomMatrices(seed);
  const [noise, coin] = [random.box(n, 3), random.box(n, 1)];
  const x = coin.data.map((u) => (u < 0.6 ? -1 : 1));
  const E = matrix(n, 4);
  for (let i = 0; i < n; i++) {
    const [a, b, c] = noise.data.subarray(3 * i, 3 * i + 3);
    E.data.set([0.5 * x[i] + 0.5 * a, 0.7 * a + 0.3 * b, c * c, 1], 4 * i);
  }
  return { x, E };
}

/** E x e of the source: x is 1 with probability 0.2, and a, b, c are uniform on [-1, 1]. */
const TRUE = [0.5, 0, -0.6 / 3, -0.6];
/** Whether d lies in the set: in no direction, of many, is it further out than the set is. */
function holds(set: { support(w: Float64Array): number }, d: Float64Array, directions: Matrix): boolean {
  const inside = (u: Float64Array) =>
    u.reduce((sum, one, h) => sum + one * d[h], 0) <= set.support(u) * (1 + 1e-9);
  for (let k = 0; k < directions.rows; k++) {
    const u = directions.data.slice(4 * k, 4 * k + 4);
    if (!inside(u) || !inside(u.map((one) => -one))) return false;
  }
  return true;
}

describe('sets that hold the correlations of the source', () => {
  it('do so as often as they say, and the ellipsoid is the smaller one', () => {
    const [n, draws, confidence] = [300, 600, 0.9];
    const directions = randomMatrices(99).normals(300, 4);
    const broken = { ellipsoid: 0, box: 0 };
    for (let k = 0; k < draws; k++) {
      const { x, E } = draw(k + 1, n);
      const d = Float64Array.from(TRUE);
      for (let i = 0; i < n; i++) for (let h = 0; h < 4; h++) d[h] -= (x[i] * E.data[4 * i + h]) / n;
      if (!holds(driftEllipsoid(x, E, confidence), d, directions)) broken.ellipsoid++;
      if (!holds(driftBox(x, E, confidence), d, directions)) broken.box++;
    }
    // Four standard deviations of the simulation, and a little for n that is not infinite.
    const allowed = draws * (1 - confidence) + 4 * Math.sqrt(draws * confidence * (1 - confidence)) + 3;
    expect(broken.ellipsoid).toBeLessThanOrEqual(allowed);
    expect(broken.box).toBeLessThanOrEqual(allowed);
    expect(broken.ellipsoid).toBeGreaterThan(0.3 * draws * (1 - confidence));
    // Along a single correlation the box is tight, along sums of several the ellipsoid.
    const { x, E } = draw(1, n);
    const w = Float64Array.of(1, 1, 1, 1);
    expect(driftEllipsoid(x, E, 0.9).support(w)).toBeLessThan(driftBox(x, E, 0.9).support(w));
  });

  it('need more rows than units', () => {
    const { x, E } = draw(1, 4);
    expect(() => driftEllipsoid(x, E, 0.9)).toThrow('cannot be estimated from 4 rows');
  });
});

import { describe, expect, it } from 'vitest';
import { gaussians } from '../../src/solvers/gaussians.ts';
import { principalAxes } from '../../src/vectors/axes.ts';

/** Vectors of V numbers that lie along a few directions, the first of them the longest. */
function along(n: number, V: number, lengths: readonly number[]): Float32Array {
  const [shares, directions] = [gaussians(n * lengths.length, 1), gaussians(lengths.length * V, 2)];
  return Float32Array.from({ length: n * V }, (_, at) => {
    const [i, v] = [Math.floor(at / V), at % V];
    return lengths.reduce(
      (sum, length, k) => sum + length * shares[i * lengths.length + k] * directions[k * V + v],
      0,
    );
  });
}

const dot = (a: Float64Array, i: number, j: number, V: number) => {
  let sum = 0;
  for (let v = 0; v < V; v++) sum += a[i * V + v] * a[j * V + v];
  return sum;
};

describe('principalAxes', () => {
  for (const [V, n] of [
    [7, 60],
    [160, 300],
  ]) {
    it(`are at right angles and hold all that there is, longest first, of ${V} numbers`, () => {
      const vectors = along(n, V, [3, 2, 1, 0.5]);
      const { axes, variances } = principalAxes(vectors, V);
      for (let i = 0; i < 4; i++) {
        for (let j = 0; j <= i; j++) expect(dot(axes, i, j, V)).toBeCloseTo(i === j ? 1 : 0, 5);
        expect(variances[i]).toBeGreaterThan(variances[i + 1]);
      }
      const total = vectors.reduce((sum, x) => sum + x * x, 0) / n;
      expect(variances.reduce((sum, x) => sum + x, 0) / total).toBeCloseTo(1, 4);
      expect(variances[4] / total).toBeLessThan(1e-6);
    });
  }
});

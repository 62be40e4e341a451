import { describe, expect, it } from 'vitest';
import { withEngine } from '../../src/engine/scope.ts';
import { gaussians } from '../../src/solvers/gaussians.ts';
import { alongAxes } from '../../src/vectors/axes.ts';

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

describe('alongAxes', () => {
  for (const [V, n, D] of [
    [7, 60, 7],
    [160, 300, 12],
  ]) {
    it(`keeps the products of ${V} numbers that lie along a few directions, the longest axis first`, async () => {
      const x = along(n, V, [3, 2, 1, 0.5]);
      const found = await withEngine({}, (engine) => alongAxes(engine, x, V, D));
      expect(found.D).toBe(D);
      const product = (a: Float32Array, width: number, i: number, j: number) => {
        let sum = 0;
        for (let v = 0; v < width; v++) sum += a[i * width + v] * a[j * width + v];
        return sum;
      };
      for (let i = 0; i < n; i += 7) {
        const scale = product(x, V, i, i);
        for (let j = 0; j <= i; j += 5) {
          expect((product(found.y, D, i, j) - product(x, V, i, j)) / scale).toBeCloseTo(0, 4);
        }
      }
      const squares = Array.from({ length: 5 }, (_, d) =>
        found.y.reduce((sum, value, k) => sum + (k % D === d ? value * value : 0), 0),
      );
      for (let d = 0; d < 4; d++) expect(squares[d]).toBeGreaterThan(squares[d + 1]);
      expect(squares[4] / squares[0]).toBeLessThan(1e-6);
    });
  }
});

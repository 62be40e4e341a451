import fc from 'fast-check';
import { expect, it } from 'vitest';
import { gaussians } from '../../../src/solvers/gaussians.ts';
import { axesOf } from '../../../src/training/further/axes.ts';
import { holds } from '../../property.ts';

/** A^T A / n for rows of `width` numbers. */
function moments(rows: Float32Array, width: number, n: number): Float64Array {
  const sums = new Float64Array(width * width);
  rows.forEach((x, k) => {
    const start = k - (k % width);
    for (let j = 0; j < width; j++) sums[(k % width) * width + j] += (x * rows[start + j]) / n;
  });
  return sums;
}

const scores = (W: Float32Array, E: Float32Array, width: number) =>
  Float64Array.from({ length: (W.length * E.length) / width ** 2 }, (_, k) => {
    const [i, v] = [Math.floor((k * width) / W.length), k % (W.length / width)];
    let sum = 0;
    for (let h = 0; h < width; h++) sum += W[v * width + h] * E[i * width + h];
    return sum;
  });

it('balances codes and weights: one diagonal for both, the same scores, and a way back', () =>
  holds(
    fc.property(
      fc.integer({ min: 1, max: 6 }),
      fc.nat(1e6),
      fc.double({ min: 0.1, max: 30, noNaN: true }),
      (width, seed, size) => {
        const [n, V] = [40, 11];
        const E = Float32Array.from(gaussians(n * width, seed), (x, k) => x * 0.1 + (k % width) * 0.2);
        const W = Float32Array.from(gaussians(V * width, seed + 1), (x) => x * size);
        const axes = axesOf(E, W, width);
        expect(axes.count).toBe(width);
        const [codes, weights] = [axes.codes(E), axes.weights(W)];
        const both = [moments(codes, width, n), moments(weights, width, 1)];
        for (const found of both) {
          found.forEach((value, k) => {
            const square = k % (width + 1) === 0 ? axes.squares[k / (width + 1)] : 0;
            expect(Math.abs(value - square)).toBeLessThan(1e-4 * axes.squares[0]);
          });
        }
        const [before, after] = [scores(W, E, width), scores(weights, codes, width)];
        const most = Math.max(...before.map(Math.abs));
        before.forEach((score, k) => {
          expect(Math.abs(after[k] - score)).toBeLessThan(1e-4 * most);
        });
        const largest = Math.max(...W.map(Math.abs));
        axes.back(axes.weights(W.map((w) => 2 * w)), W).forEach((w, k) => {
          expect(Math.abs(w - 2 * W[k])).toBeLessThan(1e-3 * largest);
        });
      },
    ),
    { seed: 11, numRuns: 100 },
  ));

it('leaves out what codes never say', () => {
  const E = Float32Array.from({ length: 60 }, (_, k) => (k % 2 === 0 ? Math.sin(k) : 0));
  const axes = axesOf(E, Float32Array.of(1, 2, 3, 4), 2);
  expect(axes.count).toBe(1);
  // The second unit has no say: its weights stay.
  const moved = axes.back(axes.weights(Float32Array.of(5, 2, 6, 4)), Float32Array.of(1, 2, 3, 4));
  expect(Array.from(moved, (w) => Math.round(w * 1e4) / 1e4)).toEqual([5, 2, 6, 4]);
});

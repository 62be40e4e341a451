import { describe, expect, it } from 'vitest';
import {
  correlations,
  encodingGradient,
  hallucinatedCorrelations,
  type Matrix,
  matrix,
  meanLoss,
  objective,
  reconstruct,
  row,
  slack,
  slackGradient,
  worstCaseBound,
} from '../../src/math.ts';
import { instances } from '../losses/instances.ts';
import { randomMatrices } from './random.ts';

const seeds = [11, 12, 13, 14, 15];

function sample(seed: number) {
  const random = randomMatrices(seed);
  const [n, V, H] = [5, 4, 3];
  const X = seed % 2 ? random.bits(n, V) : random.box(n, V);
  return { random, n, V, H, X, E: random.box(n, H), W: random.normals(V, H) };
}

function between(A: Matrix, C: Matrix, t: number): Matrix {
  return matrix(
    A.rows,
    A.cols,
    A.data.map((a, k) => t * a + (1 - t) * C.data[k]),
  );
}

describe.each(instances)('slack and objective: $loss.name', ({ loss }) => {
  it.each(seeds)('the slack is convex in w, L convex in W and in E (sample %i)', (seed) => {
    const { random, n, V, H, X, E, W } = sample(seed);
    const [W2, E2] = [random.normals(V, H), random.box(n, H)];
    const B = correlations(X, E);
    for (const t of [0.1, 0.5, 0.8]) {
      const w = row(between(W, W2, t), 0);
      const chord =
        t * slack(loss, E, row(W, 0), row(B, 0)) + (1 - t) * slack(loss, E, row(W2, 0), row(B, 0));
      expect(slack(loss, E, w, row(B, 0))).toBeLessThanOrEqual(chord + 1e-12);
      const inW = t * objective(loss, W, E, X) + (1 - t) * objective(loss, W2, E, X);
      expect(objective(loss, between(W, W2, t), E, X)).toBeLessThanOrEqual(inW + 1e-12);
      const inE = t * objective(loss, W, E, X) + (1 - t) * objective(loss, W, E2, X);
      expect(objective(loss, W, between(E, E2, t), X)).toBeLessThanOrEqual(inE + 1e-12);
    }
  });

  it.each(seeds)('gradients equal finite differences (sample %i)', (seed) => {
    const { n, X, E, W } = sample(seed);
    const B = correlations(X, E);
    const h = 1e-5;
    const shifted = (A: Matrix, k: number, by: number) =>
      matrix(
        A.rows,
        A.cols,
        A.data.map((a, j) => (j === k ? a + by : a)),
      );
    const G = encodingGradient(loss, W, E, X);
    E.data.forEach((_, k) => {
      const rise = objective(loss, W, shifted(E, k, h), X) - objective(loss, W, shifted(E, k, -h), X);
      // G is the gradient without the half of Eq. (4).
      expect(G.data[k] / 2).toBeCloseTo(rise / (2 * h), 6);
    });
    const g = slackGradient(loss, E, row(W, 0), row(B, 0));
    g.forEach((value, k) => {
      const at = (by: number) => slack(loss, E, row(shifted(W, k, by), 0), row(B, 0));
      expect(value).toBeCloseTo((at(h) - at(-h)) / (2 * h), 6);
      expect(value).toBeCloseTo(hallucinatedCorrelations(loss, W, E).data[k] - B.data[k], 10);
    });
    expect(G.rows).toBe(n);
  });

  it.each(seeds)(
    "with the data's own correlations the bound is L, and never below the loss (sample %i)",
    (seed) => {
      const { X, E, W } = sample(seed);
      const bound = worstCaseBound(loss, E, correlations(X, E), W);
      const actual = meanLoss(loss, X, reconstruct(loss, W, E));
      expect(bound).toBeCloseTo(objective(loss, W, E, X), 10);
      expect(bound).toBeGreaterThanOrEqual(actual - 1e-10);
      // Scores cannot leave an infinite range: then the bound is the loss.
      if (!Number.isFinite(loss.gamma(1))) expect(bound).toBeCloseTo(actual, 8);
    },
  );

  it.each(seeds)('rescaling a unit changes nothing (sample %i)', (seed) => {
    const { X, E, W } = sample(seed);
    const scales = [0.25, 4, 1];
    const columns = (A: Matrix, power: number) =>
      matrix(
        A.rows,
        A.cols,
        A.data.map((a, k) => a * scales[k % A.cols] ** power),
      );
    const rescaled = objective(loss, columns(W, 1), columns(E, -1), X);
    expect(rescaled).toBeCloseTo(objective(loss, W, E, X), 12);
  });
});

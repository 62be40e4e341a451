import { describe, expect, it } from 'vitest';
import { createWasmEngine } from '../../src/engine/wasm/engine.ts';
import { crossEntropy } from '../../src/losses/cross-entropy.ts';
import { correlations, type Matrix, matrix, minimaxValue, reconstruct, row, slack } from '../../src/math.ts';
import { solveColumn } from '../../src/solvers/one-column.ts';
import { worstCase } from '../math/adversary.ts';
import { randomMatrices } from '../math/random.ts';

const engine = await createWasmEngine();

/** Features of a decoder with neighbours: the score of a code, known bits of the row, and the constant 1. */
function featuresOf(seed: number, n: number): { features: Matrix; X: Matrix } {
  const random = randomMatrices(seed);
  const [scores, bits] = [random.normals(n, 1), random.bits(n, 2)];
  const features = matrix(n, 4);
  for (let i = 0; i < n; i++)
    features.data.set([scores.data[i], bits.data[2 * i], bits.data[2 * i + 1], 1], 4 * i);
  return { features, X: random.box(n, 1) };
}

async function weightsFor(features: Matrix, X: Matrix, ridge: number): Promise<Float32Array> {
  const { cols: width } = features;
  // Features are of about unit size and hardly correlated: the diagonal is metric enough.
  const diagonal = features.rows / 4 + ridge;
  const inverseHessian = Float64Array.from({ length: width ** 2 }, (_, k) =>
    k % (width + 1) ? 0 : 1 / diagonal,
  );
  const problem = { features: Float32Array.from(features.data), targets: Float32Array.from(X.data) };
  const options = { start: new Float32Array(width), ridge, inverseHessian };
  return solveColumn(engine, problem, crossEntropy, options);
}

describe('the decoder of a column with features of any kind', () => {
  it.each([1, 2, 3, 4])(
    'is that of Theorem 1 with code and known bits as features (game %i)',
    async (seed) => {
      const { features, X } = featuresOf(seed, 12);
      const W = matrix(1, 4, Float64Array.from(await weightsFor(features, X, 1e-6)));
      const B = correlations(X, features);
      const value = minimaxValue(crossEntropy, features, B);
      expect(slack(crossEntropy, features, row(W, 0), row(B, 0)) / 2).toBeCloseTo(value, 2);
      // No column with these correlations to code and bits costs the decoder more.
      expect(worstCase(crossEntropy, features, B, reconstruct(crossEntropy, W, features))).toBeLessThan(
        value + 0.02,
      );
    },
  );

  it('counts rows by their weights', async () => {
    const { features, X } = featuresOf(7, 40);
    const twice = matrix(80, 4, Float64Array.from([...features.data, ...features.data]));
    const both = await weightsFor(twice, matrix(80, 1, Float64Array.from([...X.data, ...X.data])), 1);
    const problem = {
      features: Float32Array.from(features.data),
      targets: Float32Array.from(X.data),
      weights: new Float32Array(40).fill(2),
    };
    const inverseHessian = Float64Array.from({ length: 16 }, (_, k) => (k % 5 ? 0 : 0.05));
    const start = new Float32Array(4);
    const weighted = await solveColumn(engine, problem, crossEntropy, { start, ridge: 1, inverseHessian });
    weighted.forEach((w, k) => void expect(w).toBeCloseTo(both[k], 1));
  });
});

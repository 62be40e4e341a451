import { describe, expect, it } from 'vitest';
import { choleskySolve } from '../../src/math/linalg.ts';
import {
  boxOfDrifts,
  correlations,
  crossEntropy,
  type DriftSet,
  ellipsoidOfDrifts,
  hallucinatedCorrelations,
  hallucinatedData,
  hamming,
  type Matrix,
  matrix,
  optimalWeights,
  reconstruct,
  relaxedWeights,
  robustBound,
  robustWeights,
  row,
  squared,
  sumOfDrifts,
  worstCaseBound,
} from '../../src/math.ts';
import { gameValueUnder, type Known } from './adversary.ts';
import { randomMatrices } from './random.ts';

const seeds = [1, 2, 3, 4];

function game(seed: number, H = 2) {
  const random = randomMatrices(seed);
  const [n, V] = [7 + seed, 2];
  const E = random.box(n, H);
  const X = random.box(n, V);
  return { random, n, V, H, E, X, B: correlations(X, E) };
}

/**
 * (1/2n) sum_i -Psi*(x_i): what the best reconstruction of data X costs that is known to be X in the mean.
 */
function entropy(loss: typeof crossEntropy, X: Matrix): number {
  return -X.data.reduce((sum, x) => sum + loss.conjugate(Math.max(-1, Math.min(x, 1))), 0) / (2 * X.rows);
}

describe('correlations within a convex set', () => {
  it('that is a box give App. C.1', () => {
    for (const seed of seeds) {
      const { E, B, V, H } = game(seed, 3);
      const sets = Array.from({ length: V }, () => boxOfDrifts(new Float64Array(H).fill(0.05)));
      const W = robustWeights(crossEntropy, E, B, sets);
      const eps = new Float64Array(V).fill(0.05);
      const plain = worstCaseBound(crossEntropy, E, B, relaxedWeights(crossEntropy, E, B, eps), eps);
      expect(robustBound(crossEntropy, E, B, W, sets)).toBeCloseTo(plain, 8);
    }
  });

  it.each(seeds)(
    'that is an ellipsoid: primal, dual and the data of an adversary agree (game %i)',
    (seed) => {
      for (const loss of [crossEntropy, squared]) {
        const { random, E, B, V, H } = game(seed, 3);
        const S = random.box(H, H, 0.2);
        const sets: DriftSet[] = Array.from({ length: V }, () => ellipsoidOfDrifts(S));
        const W = robustWeights(loss, E, B, sets);
        const value = robustBound(loss, E, B, W, sets);
        // The adversary's data: correlations in the ellipsoid, and as hard to reconstruct as the value says.
        const X = hallucinatedData(loss, W, E);
        const hallucinated = hallucinatedCorrelations(loss, W, E);
        for (let v = 0; v < V; v++) {
          const d = row(hallucinated, v).map((b, h) => b - row(B, v)[h]);
          expect(lengthIn(S, d)).toBeLessThanOrEqual(1 + 1e-6);
        }
        expect(entropy(loss, X)).toBeCloseTo(value, 7);
      }
    },
  );

  it.each(seeds)(
    'that is an ellipsoid: a linear program finds the value, by 200 tangents (game %i)',
    (seed) => {
      const { random, E, X, B, n, V } = game(seed);
      const S = random.box(2, 2, 0.2);
      const sets = Array.from({ length: V }, () => ellipsoidOfDrifts(S));
      const W = robustWeights(crossEntropy, E, B, sets);
      // d lies in the ellipsoid if u.d <= |S u| for every direction u.
      const known: Known[] = [];
      for (let v = 0; v < V; v++) {
        for (let k = 0; k < 200; k++) {
          const u = Float64Array.of(Math.cos((Math.PI * k) / 200), Math.sin((Math.PI * k) / 200));
          known.push({
            weight: (bit, i) => (bit === v ? (u[0] * row(E, i)[0] + u[1] * row(E, i)[1]) / n : 0),
            eps: sets[v].support(u),
          });
        }
      }
      const Y = reconstruct(crossEntropy, W, E);
      expect(gameValueUnder(crossEntropy, X, Y, known)).toBeCloseTo(
        robustBound(crossEntropy, E, B, W, sets),
        3,
      );
    },
  );

  it('that is a sum of sets has the sum of their support functions', () => {
    const { random, H, E, B, V } = game(2);
    const [box, ellipsoid] = [boxOfDrifts([0.1, 0.02]), ellipsoidOfDrifts(random.box(H, H, 0.1))];
    const both = sumOfDrifts([box, ellipsoid]);
    const w = random.box(1, H).data;
    expect(both.support(w)).toBeCloseTo(box.support(w) + ellipsoid.support(w), 12);
    const sets = (set: DriftSet) => Array.from({ length: V }, () => set);
    const value = (set: DriftSet) =>
      robustBound(crossEntropy, E, B, robustWeights(crossEntropy, E, B, sets(set)), sets(set));
    expect(value(both)).toBeGreaterThan(Math.max(value(box), value(ellipsoid)));
  });
});

describe('reconstructions whose correlations are restricted too (App. E)', () => {
  it('cost no more, for proper losses: the best ones have the correlations already', () => {
    for (const loss of [crossEntropy, squared]) {
      for (const seed of seeds) {
        const { E, B } = game(seed);
        const Y = reconstruct(loss, optimalWeights(loss, E, B), E);
        correlations(Y, E).data.forEach((b, k) => {
          expect(b).toBeCloseTo(B.data[k], 6);
        });
      }
    }
  });

  it('are another game for a loss that is not proper', () => {
    const { E, B } = game(2);
    const Y = reconstruct(hamming, optimalWeights(hamming, E, B), E);
    const off = correlations(Y, E).data.map((b, k) => Math.abs(b - B.data[k]));
    expect(Math.max(...off)).toBeGreaterThan(0.05);
  });
});

/** |u| for d = S^T u. */
function lengthIn(S: Matrix, d: Float64Array): number {
  const H = S.cols;
  const G = matrix(H, H);
  for (let k = 0; k < H; k++) {
    for (let i = 0; i < H; i++) for (let j = 0; j < H; j++) G.data[i * H + j] += row(S, k)[i] * row(S, k)[j];
  }
  const z = choleskySolve(G.data, d) as Float64Array;
  return Math.sqrt(z.reduce((sum, value, h) => sum + value * d[h], 0));
}

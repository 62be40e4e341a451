import { describe, expect, it } from 'vitest';
import {
  boxOfDrifts,
  correlations,
  crossEntropy,
  ellipsoidOfDrifts,
  exactWorstCase,
  type Matrix,
  matrix,
  reconstruct,
  relaxedWeights,
  robustBound,
  robustWeights,
  worstCaseBound,
} from '../../src/math.ts';
import { instances } from '../losses/instances.ts';
import { worstCase } from './adversary.ts';
import { randomMatrices } from './random.ts';

const seeds = [1, 2, 3, 4, 5, 6, 7, 8];

function game(seed: number) {
  const random = randomMatrices(seed);
  const [n, V, H] = [8 + 4 * (seed % 5), 2, 1 + (seed % 4)];
  const E = seed % 2 ? random.box(n, H) : random.bits(n, H);
  const X = random.bits(n, V);
  const W = random.normals(V, H);
  return { random, n, V, H, E, X, W: scaled(W, seed % 3 === 0 ? 5 : 1), B: correlations(X, E) };
}

const scaled = (A: Matrix, by: number) =>
  matrix(
    A.rows,
    A.cols,
    A.data.map((a) => by * a),
  );
const boxes = (V: number, H: number, eps: number) =>
  Array.from({ length: V }, () => boxOfDrifts(new Float64Array(H).fill(eps)));

describe.each(instances)('the exact worst case of any decoder: $loss.name', ({ loss }) => {
  it.each(seeds)('is what a linear program finds (game %i)', (seed) => {
    const { E, B, W, V, H } = game(seed);
    for (const eps of [0, 0.05, 0.4]) {
      const found = exactWorstCase(loss, E, B, W, boxes(V, H, eps));
      const lp = worstCase(loss, E, B, reconstruct(loss, W, E), new Float64Array(V).fill(eps));
      expect(found, `eps ${eps}`).toBeCloseTo(lp, 5);
      // From above: it never promises too little.
      expect(found).toBeGreaterThan(lp - 1e-7);
      expect(found).toBeLessThanOrEqual(worstCaseBound(loss, E, B, W, new Float64Array(V).fill(eps)) + 1e-9);
    }
  });
});

describe('the exact worst case', () => {
  it('is the bound of App. C.1 at the weights that are best for it', () => {
    for (const seed of seeds) {
      const { E, B, V, H } = game(seed);
      const eps = new Float64Array(V).fill(0.1);
      const W = relaxedWeights(crossEntropy, E, B, eps);
      expect(exactWorstCase(crossEntropy, E, B, W, boxes(V, H, 0.1))).toBeCloseTo(
        worstCaseBound(crossEntropy, E, B, W, eps),
        6,
      );
    }
  });

  it('is well below that bound at weights that are not', () => {
    const { E, B, W, V, H } = game(3);
    const bound = worstCaseBound(crossEntropy, E, B, W, new Float64Array(V).fill(0.4));
    expect(exactWorstCase(crossEntropy, E, B, W, boxes(V, H, 0.4))).toBeLessThan(0.95 * bound);
  });

  it('does not change with the scale of the codes, where drifts are scaled with them', () => {
    const { E, B, W, V, H } = game(4);
    const found = exactWorstCase(crossEntropy, E, B, W, boxes(V, H, 0.1));
    const scale = 1 / 300;
    const other = exactWorstCase(
      crossEntropy,
      scaled(E, scale),
      scaled(B, scale),
      scaled(W, 1 / scale),
      boxes(V, H, 0.1 * scale),
    );
    expect(other).toBeCloseTo(found, 6);
  });

  it('is that of the ellipsoid’s bound at the weights that are best for the ellipsoid', () => {
    const { random, E, B, V, H } = game(5);
    const sets = Array.from({ length: V }, () => ellipsoidOfDrifts(random.box(H, H, 0.2)));
    const W = robustWeights(crossEntropy, E, B, sets);
    const bound = robustBound(crossEntropy, E, B, W, sets);
    expect(exactWorstCase(crossEntropy, E, B, W, sets)).toBeCloseTo(bound, 6);
    const others = exactWorstCase(crossEntropy, E, B, scaled(W, 1.3), sets);
    expect(others).toBeGreaterThan(bound - 1e-9);
  });
});

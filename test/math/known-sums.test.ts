import { describe, expect, it } from 'vitest';
import {
  correlations,
  crossEntropy,
  groupWeights,
  matrix,
  minimaxValue,
  pooledWeights,
  reconstruct,
  row,
  worstCaseBound,
} from '../../src/math.ts';
import { gameValueUnder, type Known, worstCaseUnder } from './adversary.ts';
import { randomMatrices } from './random.ts';

const seeds = [1, 2, 3];

describe('sums of correlations that are known', () => {
  it.each(seeds)(
    'over units give one weight to a group: the value of the linear program (game %i)',
    (seed) => {
      const random = randomMatrices(seed);
      const [n, V, H] = [10, 2, 4];
      const [E, X] = [random.box(n, H), random.box(n, V)];
      const B = correlations(X, E);
      // Units 0 and 1 are a group, and units 2 and 3.
      const A = matrix(H, 2, [1, 0, 1, 0, 0, 1, 0, 1]);
      const W = groupWeights(crossEntropy, E, B, A);
      for (let v = 0; v < V; v++) {
        expect(row(W, v)[0]).toBeCloseTo(row(W, v)[1], 12);
        expect(row(W, v)[2]).toBeCloseTo(row(W, v)[3], 12);
      }
      const value = worstCaseBound(crossEntropy, E, B, W);
      const known: Known[] = Array.from({ length: 2 * V }, (_, k) => ({
        weight: (v, i) => (v === k >> 1 ? row(E, i)[2 * (k & 1)] + row(E, i)[2 * (k & 1) + 1] : 0),
        eps: 0,
      }));
      const Y = reconstruct(crossEntropy, W, E);
      expect(gameValueUnder(crossEntropy, X, Y, known)).toBeCloseTo(value, 4);
      expect(worstCaseUnder(crossEntropy, X, Y, known)).toBeCloseTo(value, 6);
      // Who knows less can promise less.
      expect(value).toBeGreaterThan(minimaxValue(crossEntropy, E, B));
    },
  );

  it.each(seeds)(
    'over bits tie weights, as a convolution does: the linear program again (game %i)',
    (seed) => {
      const random = randomMatrices(seed);
      const [n, V] = [8, 3];
      // Bits and units on a circle; a bit sees the unit at its place and the next, and only sums over places
      // are known.
      const [E, X] = [random.box(n, V), random.box(n, V)];
      const B = correlations(X, E);
      const P = Array.from({ length: V }, (_, v) => {
        const at = matrix(V, 2);
        row(at, v)[0] = 1;
        row(at, (v + 1) % V)[1] = 1;
        return at;
      });
      const W = pooledWeights(crossEntropy, E, B, P);
      for (let v = 0; v < V; v++) {
        expect(row(W, v)[v]).toBeCloseTo(row(W, 0)[0], 12);
        expect(row(W, v)[(v + 1) % V]).toBeCloseTo(row(W, 0)[1], 12);
        expect(row(W, v)[(v + 2) % V]).toBe(0);
      }
      const value = worstCaseBound(crossEntropy, E, B, W);
      const known: Known[] = [0, 1].map((place) => ({
        weight: (v, i) => row(E, i)[(v + place) % V],
        eps: 0,
      }));
      const Y = reconstruct(crossEntropy, W, E);
      expect(gameValueUnder(crossEntropy, X, Y, known)).toBeCloseTo(value, 4);
      expect(worstCaseUnder(crossEntropy, X, Y, known)).toBeCloseTo(value, 6);
    },
  );
});

import type { Loss } from '../losses/loss.ts';
import { type Matrix, matrix, row } from './matrix.ts';
import { minimiseWells, type SolverOptions } from './minimise.ts';

/**
 * The weights of the relaxed game, in which each correlation of bit v may be off by eps_v (App. C.1):
 * argmin over w of gamma(w, b_v) + eps_v |w|_1, for every v.
 *
 * Solved as in the proof: w = xi - lambda with xi, lambda >= 0, one multiplier for each side of each
 * constraint. The penalty is then linear and the problem is a smooth one over an orthant; weights that the
 * penalty removes are exact zeros.
 */
export function relaxedWeights(
  loss: Loss,
  E: Matrix,
  B: Matrix,
  eps: Float64Array,
  options: SolverOptions & { readonly ridge?: number } = {},
): Matrix {
  const H = E.cols;
  const bothSides = matrix(E.rows, 2 * H);
  for (let i = 0; i < E.rows; i++) {
    const e = row(E, i);
    for (let h = 0; h < H; h++) {
      row(bothSides, i)[h] = e[h];
      row(bothSides, i)[H + h] = -e[h];
    }
  }
  const W = matrix(B.rows, H);
  for (let v = 0; v < B.rows; v++) {
    const b = row(B, v);
    const problem = {
      A: bothSides,
      scale: 1 / E.rows,
      c: Float64Array.from({ length: 2 * H }, (_, k) => (k < H ? b[k] : -b[k - H]) - eps[v]),
      ridge: options.ridge ?? 0,
      lower: 0,
      upper: Number.POSITIVE_INFINITY,
      start: new Float64Array(2 * H),
    };
    const { z } = minimiseWells(loss, problem, options);
    for (let h = 0; h < H; h++) row(W, v)[h] = z[h] - z[H + h];
  }
  return W;
}

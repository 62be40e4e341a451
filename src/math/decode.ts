import type { Loss } from '../losses/loss.ts';
import { type Matrix, matrix, row, timesTranspose } from './matrix.ts';
import { minimiseWells, type SolverOptions } from './minimise.ts';
import { worstCaseBound } from './slack.ts';

export interface DecodeOptions extends SolverOptions {
  /**
   * Adds (ridge/2) |w|^2 to every slack. On data that a unit separates perfectly gamma has no minimum, only
   * an infimum at infinite weights; a tiny ridge gives it one. Without a ridge the solver walks outwards
   * until the gradient is below its tolerance or its iterations are spent.
   */
  readonly ridge?: number;
  /** Where to start, V x H; zeros otherwise. */
  readonly start?: Matrix;
}

/**
 * W*(E, B): for every bit v the w that minimises the slack gamma(w, b_v) (Thm. 1). E is n x H, B and W* V x
 * H.
 */
export function optimalWeights(loss: Loss, E: Matrix, B: Matrix, options: DecodeOptions = {}): Matrix {
  const W = matrix(B.rows, B.cols);
  for (let v = 0; v < B.rows; v++) {
    const problem = {
      A: E,
      scale: 1 / E.rows,
      c: row(B, v),
      ridge: options.ridge ?? 0,
      lower: Number.NEGATIVE_INFINITY,
      upper: Number.POSITIVE_INFINITY,
      start: options.start ? row(options.start, v) : new Float64Array(B.cols),
    };
    row(W, v).set(minimiseWells(loss, problem, options).z);
  }
  return W;
}

/** L*_B(E) = (1/2) sum_v gamma(w*_v, b_v): the value of the game of Eq. (3) (Thm. 1). */
export function minimaxValue(loss: Loss, E: Matrix, B: Matrix, options: DecodeOptions = {}): number {
  return worstCaseBound(loss, E, B, optimalWeights(loss, E, B, options));
}

/**
 * x~ = transfer(w_v.e_i) for every bit and example, n x V: optimal for these correlations at W = W* (Thm. 1).
 */
export function reconstruct(loss: Loss, W: Matrix, E: Matrix): Matrix {
  const M = timesTranspose(E, W);
  return matrix(
    M.rows,
    M.cols,
    M.data.map((m) => loss.transfer(m)),
  );
}

import type { Loss } from '../losses/loss.ts';
import { type DecodeOptions, optimalWeights } from './decode.ts';
import { type Matrix, matrix, row } from './matrix.ts';
import { relaxedWeights } from './relaxed.ts';

/**
 * The weights of the game in which only chosen correlations constrain the adversary (Sec. 4.1): for every bit
 * the slack is minimised over the weights of its chosen units, and the others do not exist. `mask` is V x H
 * of 0 and 1; with `eps`, the chosen correlations are known to within eps_v (App. C.1).
 */
export function chosenWeights(
  loss: Loss,
  E: Matrix,
  B: Matrix,
  mask: ArrayLike<number>,
  options: DecodeOptions & { readonly eps?: Float64Array } = {},
): Matrix {
  const W = matrix(B.rows, B.cols);
  for (let v = 0; v < B.rows; v++) {
    const units = chosenUnits(mask, v, B.cols);
    if (units.length === 0) continue;
    const codes = selectColumns(E, units);
    const b = selectColumns(matrix(1, B.cols, row(B, v)), units);
    const found = options.eps
      ? relaxedWeights(loss, codes, b, options.eps.subarray(v, v + 1), options)
      : optimalWeights(loss, codes, b, options);
    units.forEach((h, k) => {
      row(W, v)[h] = found.data[k];
    });
  }
  return W;
}

/** The units whose correlations with bit v are used. */
export function chosenUnits(mask: ArrayLike<number>, v: number, H: number): number[] {
  return Array.from({ length: H }, (_, h) => h).filter((h) => mask[v * H + h] !== 0);
}

/** Some columns of a matrix, in the order given. */
export function selectColumns(A: Matrix, columns: readonly number[]): Matrix {
  const out = matrix(A.rows, columns.length);
  for (let i = 0; i < A.rows; i++) row(out, i).set(columns.map((column) => row(A, i)[column]));
  return out;
}

import type { Loss } from '../losses/loss.ts';
import { type DecodeOptions, optimalWeights } from './decode.ts';
import { dot, type Matrix, matrix, row, timesTranspose } from './matrix.ts';
import { minimiseWells, type SolverOptions } from './minimise.ts';

/**
 * The weights of the game in which not the correlations themselves are known but sums of them, b_v A, one for
 * each column of A (H x K): sigma_U is 0 for weights in the range of A and infinite for others, so the
 * weights are A omega. A column that adds up the units of a group gives all of them one weight.
 */
export function groupWeights(
  loss: Loss,
  E: Matrix,
  B: Matrix,
  A: Matrix,
  options: DecodeOptions = {},
): Matrix {
  const omega = optimalWeights(loss, product(E, A), product(B, A), options);
  return timesTranspose(omega, A);
}

/**
 * The same across bits: only sum_v b_v P_v is known, with a matrix P_v (H x K) for each bit, and all bits
 * share one omega, w_v = P_v omega. Where P_v says which unit stands at which place around bit v, that is a
 * convolution: tied weights as what is best against an adversary who knows only pooled correlations.
 */
export function pooledWeights(
  loss: Loss,
  E: Matrix,
  B: Matrix,
  P: readonly Matrix[],
  options: SolverOptions = {},
): Matrix {
  const K = P[0].cols;
  const [n, V] = [E.rows, B.rows];
  const A = matrix(n * V, K);
  const c = new Float64Array(K);
  for (let v = 0; v < V; v++) {
    const codes = product(E, P[v]);
    A.data.set(codes.data, v * n * K);
    const known = product(matrix(1, B.cols, row(B, v)), P[v]).data;
    for (let k = 0; k < K; k++) c[k] += known[k];
  }
  const { z } = minimiseWells(
    loss,
    {
      ...{ A, c, scale: 1 / n, ridge: 0 },
      lower: Number.NEGATIVE_INFINITY,
      upper: Number.POSITIVE_INFINITY,
      start: new Float64Array(K),
    },
    options,
  );
  const W = matrix(V, B.cols);
  for (let v = 0; v < V; v++) for (let h = 0; h < B.cols; h++) row(W, v)[h] = dot(row(P[v], h), z);
  return W;
}

/** M A. */
function product(M: Matrix, A: Matrix): Matrix {
  const out = matrix(M.rows, A.cols);
  for (let i = 0; i < M.rows; i++) {
    for (let h = 0; h < A.rows; h++) {
      for (let k = 0; k < A.cols; k++) row(out, i)[k] += row(M, i)[h] * row(A, h)[k];
    }
  }
  return out;
}

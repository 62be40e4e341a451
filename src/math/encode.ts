import type { Loss } from '../losses/loss.ts';
import { type Matrix, matrix, row, transposeTimes } from './matrix.ts';
import { minimiseWells, type SolverOptions, type WellMinimum } from './minimise.ts';

/** Where codes live: the box [-1, 1]^H of the paper's binary encodings, or all of R^H (Sec. 3.1). */
export type Domain = 'box' | 'real';

export interface EncodeOptions extends SolverOptions {
  readonly domain?: Domain;
  /** Adds (ridge/2) |e|^2, which gives real codes of perfectly reconstructible rows a minimum. */
  readonly ridge?: number;
  readonly start?: Float64Array;
}

/**
 * Enc(x; W) = argmin over e of sum_v beta_v(e, x) (Prop. 2). The result's `z` is the code, `value` the total
 * distortion (twice the loss) and `slopes` the dual solution that certifies it.
 */
export function encode(loss: Loss, W: Matrix, x: Float64Array, options: EncodeOptions = {}): WellMinimum {
  const bound = (options.domain ?? 'box') === 'box' ? 1 : Number.POSITIVE_INFINITY;
  const problem = {
    A: W,
    scale: 1,
    c: transposeTimes(W, x),
    ridge: options.ridge ?? 0,
    lower: -bound,
    upper: bound,
    start: options.start ?? new Float64Array(W.cols),
  };
  return minimiseWells(loss, problem, options);
}

/** E*(W): every example encoded by itself (Prop. 2). X is n x V, `start` and the result n x H. */
export function encodeAll(
  loss: Loss,
  W: Matrix,
  X: Matrix,
  options: Omit<EncodeOptions, 'start'> & { readonly start?: Matrix } = {},
): Matrix {
  const E = matrix(X.rows, W.cols);
  for (let i = 0; i < X.rows; i++) {
    const start = options.start ? row(options.start, i) : undefined;
    row(E, i).set(encode(loss, W, row(X, i), { ...options, start }).z);
  }
  return E;
}

import type { Loss } from '../losses/loss.ts';
import { dot, type Matrix, row } from './matrix.ts';

/**
 * The bitwise slack function gamma(w, b) = -b.w + (1/n) sum_i Psi(w.e_i), convex in w (Thm. 1). E is n x H.
 */
export function slack(loss: Loss, E: Matrix, w: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < E.rows; i++) sum += loss.psi(dot(w, row(E, i)));
  return sum / E.rows - dot(b, w);
}

/** d gamma / d w = (1/n) sum_i Psi'(w.e_i) e_i - b: the residual correlations of one bit (App. A.2.2). */
export function slackGradient(loss: Loss, E: Matrix, w: Float64Array, b: Float64Array): Float64Array {
  const gradient = Float64Array.from(b, (value) => -value);
  for (let i = 0; i < E.rows; i++) {
    const e = row(E, i);
    const slope = loss.psiPrime(dot(w, e)) / E.rows;
    for (let h = 0; h < E.cols; h++) gradient[h] += slope * e[h];
  }
  return gradient;
}

/**
 * (1/2) sum_v [gamma(w_v, b_v) + eps_v |w_v|_1]: what no data with these correlations, to within eps_v, can
 * make the loss of decoder W exceed. At the minimising W it is the value of the game (Thm. 1; App. C.1 for
 * eps > 0).
 */
export function worstCaseBound(loss: Loss, E: Matrix, B: Matrix, W: Matrix, eps?: Float64Array): number {
  let sum = 0;
  for (let v = 0; v < W.rows; v++) {
    const w = row(W, v);
    sum += slack(loss, E, w, row(B, v));
    if (eps) for (const weight of w) sum += eps[v] * Math.abs(weight);
  }
  return sum / 2;
}

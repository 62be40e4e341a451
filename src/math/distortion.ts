import type { Loss } from '../losses/loss.ts';
import { dot, type Matrix, row } from './matrix.ts';

/** The bitwise feature distortion beta_v(e, x) = -x_v (w_v.e) + Psi(w_v.e) (Eq. 5). */
export function featureDistortion(loss: Loss, w: Float64Array, e: Float64Array, x: number): number {
  const m = dot(w, e);
  return loss.psi(m) - x * m;
}

/**
 * sum_v beta_v(e, x): what Enc minimises over e (Prop. 2). Half of it is the loss, in the loss's own unit.
 */
export function totalDistortion(loss: Loss, W: Matrix, e: Float64Array, x: Float64Array): number {
  let sum = 0;
  for (let v = 0; v < W.rows; v++) sum += featureDistortion(loss, row(W, v), e, x[v]);
  return sum;
}

/** L(W, E) = (1/2n) sum_i sum_v beta_v(e_i, x_i) (Eq. 4): convex in W and in E, not in both. */
export function objective(loss: Loss, W: Matrix, E: Matrix, X: Matrix): number {
  let sum = 0;
  for (let i = 0; i < E.rows; i++) sum += totalDistortion(loss, W, row(E, i), row(X, i));
  return sum / (2 * E.rows);
}

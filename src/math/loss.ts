import type { Loss } from '../losses/loss.ts';
import { type Matrix, row } from './matrix.ts';

/** The expected cost of reconstructing a bit of mean x as y: one term of Eq. (2). */
export function bitLoss(loss: Loss, x: number, y: number): number {
  // A certain bit ignores the other partial loss, which may be infinite.
  const plus = x > -1 ? ((1 + x) / 2) * loss.plus(y) : 0;
  const minus = x < 1 ? ((1 - x) / 2) * loss.minus(y) : 0;
  return plus + minus;
}

/** l(x, x~): the loss of one example, summed over its V bits (Eq. 2). */
export function exampleLoss(loss: Loss, x: Float64Array, y: Float64Array): number {
  let sum = 0;
  for (let v = 0; v < x.length; v++) sum += bitLoss(loss, x[v], y[v]);
  return sum;
}

/** (1/n) sum_i l(x_i, x~_i): the payoff of the game of Eq. (3). X and the reconstructions Y are n x V. */
export function meanLoss(loss: Loss, X: Matrix, Y: Matrix): number {
  let sum = 0;
  for (let i = 0; i < X.rows; i++) sum += exampleLoss(loss, row(X, i), row(Y, i));
  return sum / X.rows;
}

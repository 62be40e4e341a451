import type { Loss } from '../losses/loss.ts';
import type { DriftSet } from './drift-sets.ts';
import { leastDeviations } from './least-deviations.ts';
import { dot, type Matrix, row } from './matrix.ts';

/**
 * The largest mean loss that data can cause a decoder W at codes E, where their correlations differ from b_v
 * by anything in a set, for each bit: exact for any W, where `robustBound` is exact for the best W only. For
 * each bit it is a linear program over the data x in [-1, 1]^n, and by its dual
 *
 *     (1/2n) sum_i f_i + (1/2) min over q of [ (1/n) sum_i |q.e_i - g_i| - q.b_v + sigma_U(q) ]
 *
 * with f = l+ + l- and g = Gamma at the reconstructions. The multiplier q = w_v gives the bound of Thm. 1 and
 * App. C.1; the adversary does worse where w_v asks for data beyond [-1, 1].
 */
export function exactWorstCase(
  loss: Loss,
  E: Matrix,
  B: Matrix,
  W: Matrix,
  sets: readonly DriftSet[],
): number {
  let sum = 0;
  for (let v = 0; v < B.rows; v++) sum += worstOfBit(loss, E, row(B, v), row(W, v), sets[v]);
  return sum;
}

/** The same for one bit. */
export function worstOfBit(loss: Loss, E: Matrix, b: Float64Array, w: Float64Array, set: DriftSet): number {
  let fixed = 0;
  const g = new Float64Array(E.rows);
  for (let i = 0; i < E.rows; i++) {
    const m = dot(w, row(E, i));
    const y = loss.transfer(m);
    g[i] = clipped(loss, m);
    fixed += g[i] === m ? loss.psi(m) : loss.plus(y) + loss.minus(y);
  }
  return (fixed / E.rows + leastDeviations({ E, g, b, set }, w)) / 2;
}

/** Gamma at the reconstruction for score m: m itself, as far as Gamma reaches. */
function clipped(loss: Loss, m: number): number {
  return Math.max(loss.gamma(-1), Math.min(m, loss.gamma(1)));
}

import type { Loss } from '../losses/loss.ts';
import { minimiseConvex } from './convex.ts';
import type { DriftSet } from './drift-sets.ts';
import { dot, type Matrix, row } from './matrix.ts';

/**
 * The largest mean loss that data can cause a decoder W at codes E, where their correlations differ from b_v by anything in
 * a set, for each bit: exact for any W, where `robustBound` is exact for the best W only. For each bit it is a linear
 * program over the data x in [-1, 1]^n, and by its dual
 *
 *     (1/2n) sum_i f_i + (1/2) min over q of [ (1/n) sum_i |q.e_i - g_i| - q.b_v + sigma_U(q) ]
 *
 * with f = l+ + l- and g = Gamma at the reconstructions. The multiplier q = w_v gives the bound of Thm. 1 and App. C.1;
 * the adversary does worse where w_v asks for data beyond [-1, 1].
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
  return (fixed / E.rows + leastMultiplier(E, g, b, w, set)) / 2;
}

/** Gamma at the reconstruction for score m: m itself, as far as Gamma reaches. */
function clipped(loss: Loss, m: number): number {
  return Math.max(loss.gamma(-1), Math.min(m, loss.gamma(1)));
}

/**
 * The least over q of (1/n) sum_i |q.e_i - g_i| - q.b + sigma_U(q), from above: kinks are smoothed, less and less, and only
 * rows near a kink bend the function then. The value is that of the function itself, so it never promises too little.
 */
function leastMultiplier(
  E: Matrix,
  g: Float64Array,
  b: Float64Array,
  start: Float64Array,
  set: DriftSet,
): number {
  const exact = (q: Float64Array) => deviations(E, g, q, 0) / E.rows - dot(q, b) + set.support(q);
  const scale = g.reduce((most, score) => Math.max(most, Math.abs(score)), 1e-3);
  const farthest = FAR * start.reduce((most, weight) => Math.max(most, Math.abs(weight)), scale);
  let q = start;
  let best = exact(q);
  for (let tau = 0.1 * scale; tau >= 1e-10 * scale; tau /= 8) {
    const smooth = smoothedDeviations(E, g, b, set, tau);
    q = minimiseConvex(smooth, q, farthest);
    best = Math.min(best, exact(q));
    const { g: left } = smooth.derivatives(q);
    const slack = Math.abs(dot(left, q)) + left.reduce((sum, slope) => sum + Math.abs(slope), 0) * scale;
    if (best - paidBySlopes(E, g, q, tau) + slack <= CLOSE * scale) break;
  }
  return best;
}

function smoothedDeviations(E: Matrix, g: Float64Array, b: Float64Array, set: DriftSet, tau: number) {
  const { rows: n, cols: H, data } = E;
  return {
    value: (q: Float64Array) =>
      deviations(E, g, q, tau) / n -
      dot(q, b) +
      set.smooth(q, tau, new Float64Array(H), new Float64Array(H * H)),
    derivatives(q: Float64Array) {
      const gradient = new Float64Array(H);
      const D = new Float64Array(H * H);
      for (let i = 0, at = 0; i < n; i++, at += H) {
        let r = -g[i];
        for (let h = 0; h < H; h++) r += q[h] * data[at + h];
        const length = Math.sqrt(r * r + tau * tau);
        const slope = r / length / n;
        for (let h = 0; h < H; h++) gradient[h] += slope * data[at + h];
        // Rows far from their kink are straight.
        if (length > STRAIGHT * tau) continue;
        const bend = (tau * tau) / length ** 3 / n;
        for (let h = 0; h < H; h++) {
          const scaled = bend * data[at + h];
          for (let k = 0; k <= h; k++) D[h * H + k] += scaled * data[at + k];
        }
      }
      for (let h = 0; h < H; h++) {
        gradient[h] -= b[h];
        for (let k = 0; k < h; k++) D[k * H + h] = D[h * H + k];
      }
      set.smooth(q, tau, gradient, D);
      return { g: gradient, D };
    },
  };
}

/** A row this many times tau away from its kink bends a millionth of what one at the kink does, and less. */
const STRAIGHT = 100;

/** Multipliers are sought among those up to so many times the weights. */
const FAR = 1e4;

/** How close the dual comes to the primal, as a share of the largest score. */
const CLOSE = 1e-7;

/**
 * -(1/n) sum_i s_i g_i for the slopes s at a minimum q of the smoothed function: data that the adversary may choose, since
 * their correlations differ from b by minus the slope of sigma_U, which lies in U. A lower bound, up to how well q is known.
 */
function paidBySlopes(
  { rows: n, cols: H, data }: Matrix,
  g: Float64Array,
  q: Float64Array,
  tau: number,
): number {
  let paid = 0;
  for (let i = 0, at = 0; i < n; i++, at += H) {
    let r = -g[i];
    for (let h = 0; h < H; h++) r += q[h] * data[at + h];
    paid -= ((r / Math.sqrt(r * r + tau * tau)) * g[i]) / n;
  }
  return paid;
}

/** sum_i |q.e_i - g_i|, smoothed by tau. */
function deviations(
  { rows: n, cols: H, data }: Matrix,
  g: Float64Array,
  q: Float64Array,
  tau: number,
): number {
  let sum = 0;
  for (let i = 0, at = 0; i < n; i++, at += H) {
    let r = -g[i];
    for (let h = 0; h < H; h++) r += q[h] * data[at + h];
    sum += Math.sqrt(r * r + tau * tau);
  }
  return sum;
}

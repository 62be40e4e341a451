import type { Loss } from '../losses/loss.ts';
import { minimiseConvex } from './convex.ts';
import type { DriftSet } from './drift-sets.ts';
import { dot, type Matrix, matrix, row } from './matrix.ts';
import { slack } from './slack.ts';

/**
 * The weights of the game in which the correlations of bit v may differ from b_v by anything in a set: for
 * every v argmin over w of gamma(w, b_v) + sigma_U(w). For losses whose Psi is smooth.
 */
export function robustWeights(loss: Loss, E: Matrix, B: Matrix, sets: readonly DriftSet[]): Matrix {
  if (!Number.isFinite(loss.curvature))
    throw new Error(`robustWeights: Psi of loss "${loss.name}" has kinks; see relaxedWeights for boxes`);
  const W = matrix(B.rows, B.cols);
  for (let v = 0; v < B.rows; v++) {
    let w: Float64Array = new Float64Array(B.cols);
    // Support functions have a kink at 0 at least: a smooth one above them comes down to them.
    for (let tau = 1; tau >= 1e-10; tau /= 8) {
      w = minimiseConvex(
        {
          value: (z) => slack(loss, E, z, row(B, v)) + smoothed(sets[v], z, tau),
          derivatives: (z) => {
            const { g, D } = slackDerivatives(loss, E, z, row(B, v));
            sets[v].smooth(z, tau, g, D);
            return { g, D };
          },
        },
        w,
      );
    }
    row(W, v).set(w);
  }
  return W;
}

/**
 * (1/2) sum_v [ gamma(w_v, b_v) + sigma_U(w_v) ]: what no data with correlations in the sets can make the
 * loss of decoder W exceed, and at the weights of `robustWeights` the value of the game.
 */
export function robustBound(loss: Loss, E: Matrix, B: Matrix, W: Matrix, sets: readonly DriftSet[]): number {
  let sum = 0;
  for (let v = 0; v < B.rows; v++) sum += slack(loss, E, row(W, v), row(B, v)) + sets[v].support(row(W, v));
  return sum / 2;
}

function smoothed(set: DriftSet, w: Float64Array, tau: number): number {
  return set.smooth(w, tau, new Float64Array(w.length), new Float64Array(w.length ** 2));
}

function slackDerivatives(loss: Loss, E: Matrix, w: Float64Array, b: Float64Array) {
  const H = w.length;
  const g = b.map((value) => -value);
  const D = new Float64Array(H * H);
  for (let i = 0; i < E.rows; i++) {
    const e = row(E, i);
    const m = dot(w, e);
    const [slope, bend] = [loss.psiPrime(m) / E.rows, loss.psiSecond(m) / E.rows];
    for (let h = 0; h < H; h++) {
      g[h] += slope * e[h];
      for (let k = 0; k < H; k++) D[h * H + k] += bend * e[h] * e[k];
    }
  }
  return { g, D };
}

import { choleskySolve } from './linalg.ts';
import { dot, type Matrix, matrix, row, times } from './matrix.ts';

/**
 * How far the correlations of a bit may be from the remembered ones: a convex set U of differences, symmetric
 * around 0, by its support function
 *
 *     sigma_U(w) = max over d in U of w.d
 *
 * The proof of Thm. 1 needs nothing else of U: the value of the game is (1/2) sum_v min_w [ gamma(w,
 * b_v) + sigma_U(w) ]. App. C.1 is the box, whose support function is the L1 norm.
 */
export interface DriftSet {
  support(w: Float64Array): number;
  /**
   * Adds the gradient and the Hessian of a smooth function that lies above sigma_U by at most `tau` times a
   * constant, and gives its value.
   */
  smooth(w: Float64Array, tau: number, g: Float64Array, D: Float64Array): number;
  /** The least t with d in t U: 1 on its surface, less inside. Absent where it is not known. */
  gauge?(d: Float64Array): number;
  /** Where U is a sum of segments: sigma_U(w) is the sum over the rows of this matrix of |row . w|. */
  readonly segments?: Matrix;
}

/** |d_h| <= eps_h for every unit (App. C.1): sigma_U(w) = sum_h eps_h |w_h|. */
export function boxOfDrifts(eps: ArrayLike<number>): DriftSet {
  const H = eps.length;
  return {
    segments: matrix(
      H,
      H,
      Float64Array.from({ length: H * H }, (_, k) => (k % (H + 1) === 0 ? eps[Math.floor(k / H)] : 0)),
    ),
    support: (w) => w.reduce((sum, value, h) => sum + eps[h] * Math.abs(value), 0),
    smooth(w, tau, g, D) {
      let value = 0;
      for (let h = 0; h < w.length; h++) {
        const length = Math.hypot(w[h], tau);
        value += eps[h] * length;
        g[h] += (eps[h] * w[h]) / length;
        D[h * (w.length + 1)] += (eps[h] * tau * tau) / length ** 3;
      }
      return value;
    },
    gauge: (d) => d.reduce((most, one, h) => (one === 0 ? most : Math.max(most, Math.abs(one) / eps[h])), 0),
  };
}

/**
 * d = S^T u with |u| <= 1: sigma_U(w) = |S w|. With S^T S the covariance of the errors of the correlations,
 * times a quantile of chi-square, the ellipsoid that holds them together where boxes hold them one by one.
 */
export function ellipsoidOfDrifts(S: Matrix): DriftSet {
  return {
    support: (w) => Math.hypot(...times(S, w)),
    smooth(w, tau, g, D) {
      const H = w.length;
      const s = times(S, w);
      const length = Math.sqrt(dot(s, s) + tau * tau);
      const slope = new Float64Array(H);
      for (let k = 0; k < S.rows; k++) for (let h = 0; h < H; h++) slope[h] += row(S, k)[h] * s[k];
      for (let h = 0; h < H; h++) g[h] += slope[h] / length;
      for (let i = 0; i < H; i++) {
        for (let j = 0; j < H; j++) {
          let bend = -(slope[i] * slope[j]) / (length * length);
          for (let k = 0; k < S.rows; k++) bend += row(S, k)[i] * row(S, k)[j];
          D[i * H + j] += bend / length;
        }
      }
      return length;
    },
    gauge(d) {
      const H = d.length;
      const G = new Float64Array(H * H);
      for (let k = 0; k < S.rows; k++) {
        const s = row(S, k);
        for (let i = 0; i < H; i++) for (let j = 0; j < H; j++) G[i * H + j] += s[i] * s[j];
      }
      const u = choleskySolve(G, d);
      return u ? Math.sqrt(Math.max(0, dot(u, d))) : Number.POSITIVE_INFINITY;
    },
  };
}

/** The set shrunk or blown up, t U. */
export function scaledDrifts(set: DriftSet, t: number): DriftSet {
  return {
    support: (w) => t * set.support(w),
    smooth(w, tau, g, D) {
      const [slope, bend] = [new Float64Array(g.length), new Float64Array(D.length)];
      const value = set.smooth(w, tau, slope, bend);
      for (let h = 0; h < g.length; h++) g[h] += t * slope[h];
      for (let k = 0; k < D.length; k++) D[k] += t * bend[k];
      return t * value;
    },
    gauge: set.gauge && ((d) => (set.gauge?.(d) ?? Number.POSITIVE_INFINITY) / t),
  };
}

/** Differences that are a sum, one from each set: support functions add up. */
export function sumOfDrifts(sets: readonly DriftSet[]): DriftSet {
  return {
    support: (w) => sets.reduce((sum, set) => sum + set.support(w), 0),
    smooth: (w, tau, g, D) => sets.reduce((sum, set) => sum + set.smooth(w, tau, g, D), 0),
  };
}

import { minimiseConvex } from './convex.ts';
import type { Deviations } from './least-deviations.ts';
import { dot, row } from './matrix.ts';

/**
 * The least over q of F(q) = (1/n) sum_i |q.e_i - g_i| - q.b + sigma_U(q), as `leastDeviations` finds it,
 * from above, by a slow but sure way: the kinks are smoothed less and less, and each smooth function is
 * minimised by Newton steps that never raise it.
 */
export function smoothedDeviations(given: Deviations, start: Float64Array, scale: number): number {
  let q = start;
  let best = valueAt(given, q, 0);
  for (let tau = scale; tau >= NARROWEST * scale; tau /= 4) {
    q = minimiseConvex(
      { value: (z) => valueAt(given, z, tau), derivatives: (z) => derivativesAt(given, z, tau) },
      q,
    );
    best = Math.min(best, valueAt(given, q, 0));
  }
  return best;
}

/** The last smoothing width, as a share of the scale. */
const NARROWEST = 1e-9;

/** F, or with kinks smoothed. */
function valueAt({ E, g, b, set }: Deviations, q: Float64Array, tau: number): number {
  let sum = 0;
  for (let i = 0; i < E.rows; i++) sum += Math.hypot(dot(q, row(E, i)) - g[i], tau);
  const H = q.length;
  const drift = tau === 0 ? set.support(q) : set.smooth(q, tau, new Float64Array(H), new Float64Array(H * H));
  return sum / E.rows - dot(q, b) + drift;
}

function derivativesAt({ E, g, b, set }: Deviations, q: Float64Array, tau: number) {
  const [n, H] = [E.rows, E.cols];
  const slope = b.map((value) => -value);
  const D = new Float64Array(H * H);
  for (let i = 0; i < n; i++) {
    const e = row(E, i);
    const r = dot(q, e) - g[i];
    const length = Math.hypot(r, tau);
    const [first, second] = [r / length / n, (tau / length) ** 2 / length / n];
    for (let h = 0; h < H; h++) {
      slope[h] += first * e[h];
      for (let k = 0; k < H; k++) D[h * H + k] += second * e[h] * e[k];
    }
  }
  set.smooth(q, tau, slope, D);
  return { g: slope, D };
}

import type { DriftSet } from './drift-sets.ts';
import { choleskySolve } from './linalg.ts';
import { dot, type Matrix, matrix } from './matrix.ts';
import { smoothedDeviations } from './smoothed-deviations.ts';

/** Least absolute deviations with a linear term and a drift set: the exact worst case of a bit. */
export interface Deviations {
  readonly E: Matrix;
  readonly g: Float64Array;
  readonly b: Float64Array;
  readonly set: DriftSet;
}

/**
 * The least over q of F(q) = (1/n) sum_i |q.e_i - g_i| - q.b + sigma_U(q), from above: the value is F's own
 * at some q.
 *
 * A primal-dual method of interior points. Each deviation r_i = q.e_i - g_i has a slope s_i of its own,
 * -1 < s_i < 1, which belongs to r = tau s / sqrt(1 - s^2), the deviation smoothed to sqrt(r^2 + tau^2). A
 * Newton step moves q and all slopes; slopes go as far as they stay inside (-1, 1), and tau falls as fast as
 * they can follow. At slopes for which (1/n) sum_i s_i e_i - b is minus a point of U, -(1/n) sum_i s_i g_i is
 * a lower bound: how close the two are ends it. Slopes may also get stuck at -1 and 1, as they do in some
 * ellipsoids, before the two are close. A slower method, which cannot, takes over then.
 */
export function leastDeviations(given: Deviations, start: Float64Array): number {
  const problem = withSegments(given);
  const { E, g, b, set, count } = problem;
  const { rows: n } = E;
  const scale = g.reduce((most, score) => Math.max(most, Math.abs(score)), 1e-3);
  const farthest = FAR * start.reduce((most, weight) => Math.max(most, Math.abs(weight)), scale);
  let q = start;
  const r = new Float64Array(n);
  const s = new Float64Array(n);
  deviationsAt(E, g, q, r);
  let tau = WIDEST * r.reduce((most, one) => Math.max(most, Math.abs(one)), scale);
  for (let i = 0; i < n; i++) s[i] = r[i] / Math.sqrt(r[i] * r[i] + tau * tau);
  const valueAt = () =>
    r.reduce((sum, one) => sum + Math.abs(one), 0) / count - dot(q, b) + (set?.support(q) ?? 0);
  let best = valueAt();
  const [give, lag, change] = [new Float64Array(n), new Float64Array(n), new Float64Array(n)];
  for (let step = 0; step < STEPS; step++) {
    const { D, gradient, left, paid } = newtonSystem(problem, q, { r, s, give, lag }, tau);
    const slack = Math.abs(dot(left, q)) + left.reduce((sum, one) => sum + Math.abs(one), 0) * scale;
    if (best - paid + slack <= CLOSE * scale) return best;
    const d = damped(D, gradient);
    if (!d) break;
    const share = follow(E, d, { s, give, lag, change });
    const length = Math.min(1, 2 * share);
    const next = q.map((value, h) => value - length * d[h]);
    // A function that is flat far out is not followed to where its value is but rounding.
    if (next.some((value) => !(Math.abs(value) <= farthest))) break;
    q = next;
    for (let i = 0; i < n; i++) s[i] = inside(s[i] + share * change[i]);
    deviationsAt(E, g, q, r);
    best = Math.min(best, valueAt());
    tau *= share > 0.7 ? 0.2 : share > 0.3 ? 0.5 : 1;
    if (tau < NARROWEST * scale) break;
  }
  return Math.min(best, smoothedDeviations(given, start, scale));
}

/**
 * Smoothing widths: the first as a share of the largest deviation or score, the last of the largest score.
 */
const WIDEST = 0.1;
const NARROWEST = 1e-13;
const STEPS = 150;
/** Share of the way to -1 or 1 that a slope may go; and how far off they stay, by what float64 can tell. */
const NEARLY = 0.95;
const OFF = 1e-14;
/** Slopes this close to -1 or 1 hold no step back. */
const TINY = 1e-9;
/** Multipliers are sought among those up to so many times the weights. */
const FAR = 1e4;
/** How close the dual comes to the primal, as a share of the largest score. */
const CLOSE = 1e-8;
/** Rows that bend less than this share of the most are straight. */
const STRAIGHT = 1e-10;

/** Segments of the set are deviations of their own: what is left of a set has no kinks but at 0. */
interface Problem extends Omit<Deviations, 'set'> {
  readonly set?: DriftSet;
  /** What sums over rows are divided by. */
  readonly count: number;
}

function withSegments({ E, g, b, set }: Deviations): Problem {
  const count = E.rows;
  const { segments } = set;
  if (!segments) return { E, g, b, set, count };
  const all = matrix(count + segments.rows, E.cols);
  all.data.set(E.data);
  all.data.set(
    segments.data.map((value) => count * value),
    E.data.length,
  );
  const scores = new Float64Array(all.rows);
  scores.set(g);
  return { E: all, g: scores, b, count };
}

interface Slopes {
  readonly r: Float64Array;
  readonly s: Float64Array;
  /** How a slope gives when its deviation changes, and how far it lags behind it. */
  readonly give: Float64Array;
  readonly lag: Float64Array;
}

/**
 * The Hessian, the gradient that a step is to take away, what is left of it at the slopes, and what the
 * adversary is paid.
 */
function newtonSystem({ E, g, b, set, count }: Problem, q: Float64Array, at: Slopes, tau: number) {
  const { rows: n, cols: H, data } = E;
  const { r, s, give, lag } = at;
  let [most, paid] = [0, 0];
  for (let i = 0; i < n; i++) {
    const rest = Math.max(0, 1 - s[i] * s[i]);
    const root = Math.sqrt(rest);
    give[i] = (rest * root) / tau;
    lag[i] = give[i] * r[i] - rest * s[i];
    most = Math.max(most, give[i]);
    paid -= (s[i] * g[i]) / count;
  }
  const left = b.map((value) => -value);
  const gradient = left.slice();
  const D = new Float64Array(H * H);
  for (let i = 0, first = 0; i < n; i++, first += H) {
    // A row that is as good as straight does not give; its slope still goes where it lags behind.
    if (give[i] <= STRAIGHT * most) give[i] = 0;
    const [own, ahead] = [s[i] / count, (s[i] + lag[i]) / count];
    for (let h = 0; h < H; h++) {
      left[h] += own * data[first + h];
      gradient[h] += ahead * data[first + h];
    }
  }
  addSquares(E, give, 1 / count, D);
  for (let h = 0; h < H; h++) for (let k = 0; k < h; k++) D[k * H + h] = D[h * H + k];
  const slope = new Float64Array(H);
  set?.smooth(q, tau, slope, D);
  for (let h = 0; h < H; h++) {
    left[h] += slope[h];
    gradient[h] += slope[h];
  }
  return { D, gradient, left, paid };
}

/** D += scale sum_i c_i e_i e_i^T, lower triangle: four rows at a time, for speed. */
function addSquares(
  { rows: n, cols: H, data }: Matrix,
  c: Float64Array,
  scale: number,
  D: Float64Array,
): void {
  const bent: number[] = [];
  for (let i = 0; i < n; i++) if (c[i] > 0) bent.push(i);
  while (bent.length % 4 !== 0) bent.push(-1);
  const rows = new Float64Array(4 * H);
  const scales = new Float64Array(4);
  for (let at = 0; at < bent.length; at += 4) {
    for (let j = 0; j < 4; j++) {
      const i = bent[at + j];
      scales[j] = i < 0 ? 0 : scale * c[i];
      if (i >= 0) rows.set(data.subarray(i * H, (i + 1) * H), j * H);
    }
    for (let h = 0; h < H; h += 2) {
      // Two rows of D share what is read; where H is odd, the last one keeps itself company.
      const other = Math.min(h + 1, H - 1);
      const a0 = scales[0] * rows[h];
      const a1 = scales[1] * rows[H + h];
      const a2 = scales[2] * rows[2 * H + h];
      const a3 = scales[3] * rows[3 * H + h];
      const b0 = scales[0] * rows[other];
      const b1 = scales[1] * rows[H + other];
      const b2 = scales[2] * rows[2 * H + other];
      const b3 = scales[3] * rows[3 * H + other];
      for (let k = 0; k <= other; k++) {
        const r0 = rows[k];
        const r1 = rows[H + k];
        const r2 = rows[2 * H + k];
        const r3 = rows[3 * H + k];
        if (other > h) D[other * H + k] += b0 * r0 + b1 * r1 + (b2 * r2 + b3 * r3);
        D[h * H + k] += a0 * r0 + a1 * r1 + (a2 * r2 + a3 * r3);
      }
    }
  }
}

/** D^-1 g, with as little added to the diagonal as makes D positive definite. */
function damped(D: Float64Array, g: Float64Array): Float64Array | undefined {
  const H = g.length;
  let unit = 0;
  for (let h = 0; h < H; h++) unit = Math.max(unit, D[h * H + h]);
  for (let damping = 1e-13; damping < 1; damping *= 100) {
    const raised = D.slice();
    for (let h = 0; h < H; h++) raised[h * H + h] += damping * (unit || 1);
    const step = choleskySolve(raised, g);
    if (step) return step;
  }
  return undefined;
}

/** How slopes change along the step -d, and the share of that which keeps all of them inside. */
function follow(
  { rows: n, cols: H, data }: Matrix,
  d: Float64Array,
  { s, give, lag, change }: Omit<Slopes, 'r'> & { readonly change: Float64Array },
): number {
  let share = 1;
  for (let i = 0, first = 0; i < n; i++, first += H) {
    let moved = 0;
    for (let h = 0; h < H; h++) moved -= d[h] * data[first + h];
    change[i] = lag[i] + give[i] * moved;
    const room = change[i] > 0 ? 1 - s[i] : 1 + s[i];
    if (room > TINY) share = Math.min(share, (NEARLY * room) / Math.abs(change[i]));
  }
  return share;
}

function inside(s: number): number {
  return Math.max(OFF - 1, Math.min(1 - OFF, s));
}

/** r_i = q.e_i - g_i. */
function deviationsAt(
  { rows: n, cols: H, data }: Matrix,
  g: Float64Array,
  q: Float64Array,
  r: Float64Array,
): void {
  for (let i = 0, first = 0; i < n; i++, first += H) {
    let sum = -g[i];
    for (let h = 0; h < H; h++) sum += q[h] * data[first + h];
    r[i] = sum;
  }
}

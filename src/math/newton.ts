import { choleskySolve } from './linalg.ts';
import { dot, type Matrix, row, times, transposeTimes } from './matrix.ts';

/**
 * Both halves of the paper are the same small problem: a sum of convex wells of linear scores,
 *
 *     f(z) = scale sum_k phi_k(a_k.z) - c.z + (ridge/2) |z|^2      over  lower <= z_h <= upper.
 *
 * Decoding bit v: a_k are the codes, scale = 1/n, c = b_v. Encoding x: a_k are the weights, scale = 1,
 * c = W^T x.
 */
export interface WellProblem {
  /** One row a_k for each well. */
  readonly A: Matrix;
  readonly scale: number;
  readonly c: Float64Array;
  readonly ridge: number;
  readonly lower: number;
  readonly upper: number;
  readonly start: Float64Array;
}

/** phi_k, its slope and its curvature; smooth and convex in m. */
export interface Wells {
  value(k: number, m: number): number;
  slope(k: number, m: number): number;
  curvature(k: number, m: number): number;
}

export interface NewtonOptions {
  readonly tolerance: number;
  readonly maxIterations: number;
}

export interface Minimum {
  readonly z: Float64Array;
  readonly value: number;
  /** max_h |z_h - project(z_h - df/dz_h)|: zero exactly at a minimum. */
  readonly optimality: number;
  readonly iterations: number;
}

/**
 * Damped Newton with an active set: coordinates that a bound holds back stay there, the others take the step
 * -(D + damping I)^-1 g with D the Hessian, projected. A rejected step raises the damping, which bends it
 * towards a short projected gradient step, and that one cannot fail: Newton's speed, first-order safety.
 */
export function minimiseSmooth(problem: WellProblem, wells: Wells, options: NewtonOptions): Minimum {
  let at = pointAt(problem, wells, problem.start);
  let damping = 1e-8;
  let iterations = 0;
  while (at.optimality > options.tolerance && iterations < options.maxIterations) {
    iterations++;
    const D = hessianAt(problem, wells, at.z);
    let next: Point | undefined;
    while (!next && damping < 1e20) {
      const step = newtonStep(problem, D, at, damping);
      const tried = step && pointAt(problem, wells, step);
      if (tried && isProgress(at, tried)) next = tried;
      damping = next ? Math.max(damping / 10, 1e-14) : damping * 10;
    }
    if (!next) break;
    at = next;
  }
  return { z: at.z, value: at.f, optimality: at.optimality, iterations };
}

/** A point between the bounds and what f looks like there. */
interface Point {
  readonly z: Float64Array;
  readonly f: number;
  readonly g: Float64Array;
  readonly optimality: number;
}

function pointAt(problem: WellProblem, wells: Wells, unprojected: Float64Array): Point {
  const project = (value: number) => Math.max(problem.lower, Math.min(value, problem.upper));
  const z = unprojected.map(project);
  const g = gradientAt(problem, wells, z);
  const optimality = largest(z.map((value, h) => value - project(value - g[h])));
  return { z, f: valueAt(problem, wells, z), g, optimality };
}

/**
 * Enough decrease of f; where f is down to the rounding of its own value, only the gradient can still tell.
 */
function isProgress(at: Point, next: Point): boolean {
  let predicted = 0;
  for (let h = 0; h < at.z.length; h++) predicted += at.g[h] * (next.z[h] - at.z[h]);
  const decreases = predicted < 0 && next.f <= at.f + 1e-4 * predicted;
  const onPlateau = Math.abs(next.f - at.f) <= 1e-13 * (1 + Math.abs(at.f));
  return decreases || (onPlateau && next.optimality < 0.9 * at.optimality);
}

export function valueAt(problem: WellProblem, wells: Wells, z: Float64Array): number {
  const { A, scale, c, ridge } = problem;
  let sum = 0;
  for (let k = 0; k < A.rows; k++) sum += wells.value(k, dot(row(A, k), z));
  return scale * sum - dot(c, z) + (ridge / 2) * dot(z, z);
}

function gradientAt(problem: WellProblem, wells: Wells, z: Float64Array): Float64Array {
  const { A, scale, c, ridge } = problem;
  const slopes = times(A, z).map((m, k) => wells.slope(k, m));
  return transposeTimes(A, slopes).map((value, h) => scale * value - c[h] + ridge * z[h]);
}

function hessianAt(problem: WellProblem, wells: Wells, z: Float64Array): Float64Array {
  const { A, scale, ridge } = problem;
  const H = z.length;
  const D = new Float64Array(H * H);
  for (let k = 0; k < A.rows; k++) {
    const a = row(A, k);
    const weight = scale * wells.curvature(k, dot(a, z));
    for (let i = 0; i < H; i++) for (let j = 0; j < H; j++) D[i * H + j] += weight * a[i] * a[j];
  }
  for (let i = 0; i < H; i++) D[i * H + i] += ridge;
  return D;
}

/**
 * z - (D + damping I)^-1 g on the coordinates that no bound holds back; undefined when D is singular to it.
 */
function newtonStep(
  problem: WellProblem,
  D: Float64Array,
  at: Point,
  damping: number,
): Float64Array | undefined {
  const { A, lower, upper } = problem;
  const { z, g } = at;
  const H = z.length;
  const held = Array.from(z, (value, h) => (value <= lower && g[h] >= 0) || (value >= upper && g[h] <= 0));
  const unit = largest(D.filter((_, k) => k % (H + 1) === 0)) || 1;
  const damped = D.slice();
  for (let i = 0; i < H; i++) {
    if (held[i]) for (let j = 0; j < H; j++) damped[i * H + j] = damped[j * H + i] = 0;
    damped[i * H + i] = held[i] ? 1 : D[i * H + i] + damping * unit;
  }
  const step = choleskySolve(
    damped,
    g.map((value, h) => (held[h] ? 0 : -value)),
  );
  if (!step) return undefined;
  // Wells turn linear far out, where Newton's steps are wild: no step may more than double the scores.
  const reach = 30 + largest(times(A, z));
  const shrink = Math.min(1, reach / (largest(times(A, step)) || 1));
  return z.map((value, h) => value + shrink * step[h]);
}

function largest(values: Float64Array): number {
  return values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
}

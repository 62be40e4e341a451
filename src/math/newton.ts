import { choleskySolve } from './linalg.ts';
import { dot, type Matrix, row, times, transposeTimes } from './matrix.ts';

/**
 * Both halves of the paper are the same small problem: a sum of convex wells of linear scores,
 *
 *     f(z) = scale sum_k phi_k(a_k.z) - c.z + (ridge/2) |z|^2      over  lower <= z_h <= upper.
 *
 * Decoding bit v: a_k are the codes, scale = 1/n, c = b_v. Encoding x: a_k are the weights, scale = 1, c = W^T x.
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
 * -(D + damping I)^-1 g with D the Hessian, projected. A rejected step raises the damping, which bends it towards
 * a short projected gradient step, and that one cannot fail: Newton's speed, first-order safety.
 */
export function minimiseSmooth(problem: WellProblem, wells: Wells, options: NewtonOptions): Minimum {
  const { lower, upper } = problem;
  const project = (value: number) => Math.max(lower, Math.min(value, upper));
  let z = problem.start.map(project);
  let f = valueAt(problem, wells, z);
  let g = gradientAt(problem, wells, z);
  let optimality = optimalityAt(z, g, project);
  let damping = 1e-8;
  let iterations = 0;
  while (optimality > options.tolerance && iterations < options.maxIterations) {
    iterations++;
    const D = hessianAt(problem, wells, z);
    const unit = largestDiagonal(D, z.length) || 1;
    let moved = false;
    while (!moved && damping < 1e20) {
      const step = newtonStep(D, g, damping * unit, heldBack(z, g, lower, upper));
      const next = step && z.map((value, h) => project(value + step[h]));
      if (next) {
        const fNext = valueAt(problem, wells, next);
        const gNext = gradientAt(problem, wells, next);
        const optimalityNext = optimalityAt(next, gNext, project);
        const predicted = dot(
          g,
          next.map((value, h) => value - z[h]),
        );
        // Where f has reached the rounding of its own value, only the gradient can still tell progress.
        const onPlateau = Math.abs(fNext - f) <= 1e-13 * (1 + Math.abs(f));
        if (
          (predicted < 0 && fNext <= f + 1e-4 * predicted) ||
          (onPlateau && optimalityNext < 0.9 * optimality)
        ) {
          [z, f, g, optimality] = [next, fNext, gNext, optimalityNext];
          moved = true;
        }
      }
      damping = moved ? Math.max(damping / 10, 1e-14) : damping * 10;
    }
    if (!moved) break;
  }
  return { z, value: f, optimality, iterations };
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

/** The coordinates at a bound that the gradient pushes against. */
function heldBack(z: Float64Array, g: Float64Array, lower: number, upper: number): boolean[] {
  return Array.from(z, (value, h) => (value <= lower && g[h] >= 0) || (value >= upper && g[h] <= 0));
}

function newtonStep(
  D: Float64Array,
  g: Float64Array,
  damping: number,
  held: boolean[],
): Float64Array | undefined {
  const H = g.length;
  const damped = D.slice();
  for (let i = 0; i < H; i++) {
    if (held[i]) for (let j = 0; j < H; j++) damped[i * H + j] = damped[j * H + i] = 0;
    damped[i * H + i] = held[i] ? 1 : D[i * H + i] + damping;
  }
  return choleskySolve(
    damped,
    g.map((value, h) => (held[h] ? 0 : -value)),
  );
}

function optimalityAt(z: Float64Array, g: Float64Array, project: (value: number) => number): number {
  let worst = 0;
  for (let h = 0; h < z.length; h++) worst = Math.max(worst, Math.abs(z[h] - project(z[h] - g[h])));
  return worst;
}

function largestDiagonal(D: Float64Array, H: number): number {
  let largest = 0;
  for (let i = 0; i < H; i++) largest = Math.max(largest, D[i * H + i]);
  return largest;
}

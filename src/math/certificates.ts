import type { Loss } from '../losses/loss.ts';
import { totalDistortion } from './distortion.ts';
import { choleskySolve } from './linalg.ts';
import { dot, type Matrix, matrix, row, times, transposeTimes } from './matrix.ts';

/**
 * How far a code e can be from optimal, in the unit of the loss (nats for cross-entropy): half of
 * sum_h (g_h e_h + |g_h|), g the gradient of the total distortion at e. For codes in the box [-1, 1]^H. The
 * linear bound f* >= f(e) + min over e' in the box of g.(e' - e) is all there is to it (the Frank-Wolfe gap).
 */
export function frankWolfeGap(loss: Loss, W: Matrix, e: Float64Array, x: Float64Array): number {
  const r = times(W, e).map((m, v) => loss.psiPrime(m) - x[v]);
  let gap = 0;
  transposeTimes(W, r).forEach((g, h) => {
    gap += g * e[h] + Math.abs(g);
  });
  return gap / 2;
}

/**
 * A lower bound on the loss of x under every code with |e_h| <= radius, from any dual point u in [-1, 1]^V:
 *
 *     (1/2) [ -sum_v Psi*(u_v) - radius |W^T (u - x)|_1 ]
 *
 * by Psi(m) >= u m - Psi*(u) for every bit. Radius 1 is the box. Real codes need W^T (u - x) = 0, which
 * arithmetic meets only nearly: the radius then says for which codes the bound is proven.
 */
export function dualBound(loss: Loss, W: Matrix, x: Float64Array, u: Float64Array, radius = 1): number {
  let bound = 0;
  for (const value of u) bound -= loss.conjugate(value);
  const difference = u.map((value, v) => value - x[v]);
  for (const value of transposeTimes(W, difference)) bound -= radius * Math.abs(value);
  return bound / 2;
}

/**
 * The gap proven for code e: its loss (the half distortion) minus the best dual bound among two points, the
 * hallucinated data u = Psi'(W e), which gives the Frank-Wolfe gap, and that point moved to meet
 * W^T (u - x) = 0 on the coordinates off the box's faces, whose gap is of second order near the optimum. A
 * dual point known to be good, such as the solver's `slopes`, can be added.
 */
export function certifiedGap(
  loss: Loss,
  W: Matrix,
  e: Float64Array,
  x: Float64Array,
  options: { readonly radius?: number; readonly u?: Float64Array } = {},
): number {
  const radius = options.radius ?? 1;
  const hallucinated = times(W, e).map((m) => loss.psiPrime(m));
  const points = [hallucinated, movedDualPoint(W, e, x, hallucinated, radius)];
  if (options.u) points.push(options.u);
  const best = Math.max(...points.map((u) => dualBound(loss, W, x, u, radius)));
  return totalDistortion(loss, W, e, x) / 2 - best;
}

/**
 * u - F (F^T F)^-1 F^T (u - x), clipped to [-1, 1]; F is W's columns whose coordinate of e is off the faces.
 */
function movedDualPoint(
  W: Matrix,
  e: Float64Array,
  x: Float64Array,
  u: Float64Array,
  radius: number,
): Float64Array {
  const free = Array.from(e.keys()).filter((h) => Math.abs(e[h]) < radius);
  const entries = Array.from({ length: W.rows }, (_, v) => free.map((h) => row(W, v)[h])).flat();
  const F = matrix(W.rows, free.length, entries);
  let moved = u;
  // Clipping undoes some of the move; a few rounds of both come close to meeting both conditions.
  for (let round = 0; round < 20; round++) {
    const difference = moved.map((value, v) => value - x[v]);
    const t = choleskySolve(gram(F), transposeTimes(F, difference));
    if (!t) return u;
    moved = moved.map((value, v) => Math.max(-1, Math.min(value - dot(row(F, v), t), 1)));
  }
  return moved;
}

/** F^T F with a trace of ridge, so that dependent columns do no harm. */
function gram(F: Matrix): Float64Array {
  const G = new Float64Array(F.cols * F.cols);
  for (let v = 0; v < F.rows; v++) {
    const f = row(F, v);
    for (let i = 0; i < F.cols; i++) for (let j = 0; j < F.cols; j++) G[i * F.cols + j] += f[i] * f[j];
  }
  for (let i = 0; i < F.cols; i++) G[i * F.cols + i] *= 1 + 1e-13;
  return G;
}

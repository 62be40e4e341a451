import type { SizedSet } from '../../encodings/sized.ts';
import { choleskySolve } from '../../math/linalg.ts';

/**
 * The step d to the smallest value of g . d + (1/2) d^T S d with z + d in a convex set: -S^-1 g where that
 * stays inside, otherwise by accelerated projected gradients with restarts (B. O'Donoghue and E. Candes,
 * 2015), until no point of the set can gain more than `little`.
 */
export function minimiseQuadratic(
  S: Float64Array,
  g: Float64Array,
  z: Float64Array,
  set: SizedSet,
  little: number,
): Float64Array {
  const n = z.length;
  const whole = choleskySolve(
    S,
    g.map((value) => -value),
  );
  if (whole && isInside(set, z, whole)) return whole;
  const L = largestEigenvalue(S, n);
  const slopeAt = (e: Float64Array) => {
    const slope = g.slice();
    for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) slope[i] += S[i * n + j] * (e[j] - z[j]);
    return slope;
  };
  let end = z.slice();
  let ahead = z.slice();
  let momentum = 1;
  for (let step = 1; step <= STEPS; step++) {
    const slope = slopeAt(ahead);
    const next = ahead.map((value, h) => value - slope[h] / L);
    set.project(next);
    const change = next.map((value, h) => value - end[h]);
    // Momentum that points uphill is of no more use.
    let uphill = 0;
    for (let h = 0; h < n; h++) uphill += (ahead[h] - next[h]) * change[h];
    const faster = uphill > 0 ? 1 : (1 + Math.sqrt(1 + 4 * momentum * momentum)) / 2;
    ahead = next.map((value, h) => value + (uphill > 0 ? 0 : (momentum - 1) / faster) * change[h]);
    end = next;
    momentum = faster;
    if (step % CHECK === 0 && set.gap(slopeAt(end), end) <= little) break;
  }
  return end.map((value, h) => value - z[h]);
}

const STEPS = 600;
/** Steps between two looks at how much is left to gain. */
const CHECK = 20;

/** By power iteration, with a little to spare; never more than the trace. */
function largestEigenvalue(S: Float64Array, n: number): number {
  let v: Float64Array = Float64Array.from({ length: n }, (_, i) => 1 + 0.1 * Math.sin(i));
  let trace = 0;
  for (let i = 0; i < n; i++) trace += S[i * n + i];
  let length = 0;
  for (let round = 0; round < 30; round++) {
    const next = new Float64Array(n);
    for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) next[i] += S[i * n + j] * v[j];
    length = Math.hypot(...next);
    if (!(length > 0)) return trace || 1;
    v = next.map((value) => value / length);
  }
  return Math.min(trace, 1.1 * length);
}

function isInside(set: SizedSet, z: Float64Array, d: Float64Array): boolean {
  const end = z.map((value, h) => value + d[h]);
  const projected = end.slice();
  set.project(projected);
  return projected.every((value, h) => Math.abs(value - end[h]) <= 1e-9 * (1 + Math.abs(end[h])));
}

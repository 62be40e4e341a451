import { choleskySolve } from './linalg.ts';

/** A smooth convex function of a few variables: its value, and its derivatives where they are asked for. */
interface SmoothConvex {
  value(z: Float64Array): number;
  /** The gradient, and the Hessian row after row. */
  derivatives(z: Float64Array): { readonly g: Float64Array; readonly D: Float64Array };
}

/**
 * Its minimum by damped Newton steps: a rejected step raises the damping, which bends it towards a short
 * gradient step. Ends where a step no longer lowers the value by a share that float64 can tell.
 */
export function minimiseConvex(f: SmoothConvex, start: Float64Array): Float64Array {
  let z = start;
  let value = f.value(z);
  let damping = 1e-10;
  for (let iteration = 0; iteration < ITERATIONS; iteration++) {
    const { g, D } = f.derivatives(z);
    const step = nextPoint(f, { z, value }, { g, D }, damping);
    if (!step) break;
    const gained = value - step.value;
    ({ z, value, damping } = step);
    if (gained <= 1e-15 * (1 + Math.abs(value))) break;
  }
  return z;
}

const ITERATIONS = 100;

/** The first damped step that lowers the value; undefined where none does. */
function nextPoint(
  f: SmoothConvex,
  at: { readonly z: Float64Array; readonly value: number },
  { g, D }: { readonly g: Float64Array; readonly D: Float64Array },
  first: number,
): { z: Float64Array; value: number; damping: number } | undefined {
  const H = g.length;
  let unit = 0;
  for (let h = 0; h < H; h++) unit = Math.max(unit, D[h * H + h]);
  for (let damping = first; damping < 1e14; damping *= 10) {
    const damped = D.slice();
    for (let h = 0; h < H; h++) damped[h * H + h] += damping * (unit || 1);
    const step = choleskySolve(damped, g);
    if (!step) continue;
    const z = at.z.map((value, h) => value - step[h]);
    const value = f.value(z);
    if (value < at.value) return { z, value, damping: Math.max(damping / 100, 1e-14) };
  }
  return undefined;
}

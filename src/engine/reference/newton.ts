import { choleskySolve } from '../../math/linalg.ts';
import { gradientAt, hessianAt, type Item, lossAt, penalty, scores } from './item.ts';
import { search } from './solve.ts';

interface NewtonStep {
  /** The step d on the free coordinates. */
  readonly d: Float64Array;
  /** -g . d. */
  readonly decrement: number;
}

/** Share of the Hessian's diagonal that is added to it, as by engines that compute in float32. */
const DAMPING = 1e-4;
/** With less curvature than this, a step would be too long for float32, and the coordinate does not move. */
const FLAT = 1e-30;

/** The solution of Newton's system of one item at its z; see `NewtonOptions`. */
export function newtonStep(item: Item, ridge: number): NewtonStep {
  const { free, z } = item;
  const m = scores(item, z);
  const g = gradientAt(item, m, z, ridge);
  const S = hessianAt(
    item,
    m.map((score, k) => 0.5 * item.weights[k] * item.loss.psiSecond(score)),
  );
  const b = g.map((value) => -value);
  for (let h = 0; h < free; h++) {
    const bend = S[h * free + h] + (h < item.penalised ? ridge : 0);
    S[h * free + h] = (1 + DAMPING) * bend;
    if (!(bend > FLAT)) hold(S, b, h);
  }
  const d = choleskySolve(S, b) ?? new Float64Array(free);
  let decrement = 0;
  for (let h = 0; h < free; h++) decrement -= g[h] * d[h];
  return { d, decrement };
}

/**
 * Takes a coordinate out of the system: what couples it to the others would move it, by a number next to
 * none.
 */
function hold(S: Float64Array, b: Float64Array, h: number): void {
  const free = b.length;
  for (let i = 0; i < free; i++) S[i * free + h] = S[h * free + i] = i === h ? 1 : 0;
  b[h] = 0;
}

/** The item's z, moved along d as far as a line search by halving says. */
export function newtonMove(item: Item, step: NewtonStep, ridge: number): Float64Array {
  const { z } = item;
  const value = (at: Float64Array, m: Float64Array) => lossAt(item, m) + penalty(item, at, ridge);
  const f = value(z, scores(item, z));
  const line = { z, f, d: step.d, slope: -step.decrement };
  return search(item, line, value, { longest: 1 })?.z ?? z;
}

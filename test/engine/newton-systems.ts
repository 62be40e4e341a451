import { expect } from 'vitest';
import type { Engine, Side } from '../../src/engine/engine.ts';
import { referenceEngine } from '../../src/engine/reference/engine.ts';
import type { Item } from '../../src/engine/reference/item.ts';
import { gradientAt, halfResiduals, hessianAt, itemAt, scores } from '../../src/engine/reference/item.ts';
import type { Loss } from '../../src/math.ts';
import { exactness, largest, type Problem, place } from './problems.ts';

/** The ridge of these systems, where no other is given. */
export const ridge = 0.02;
const reference = referenceEngine();

export interface Taken {
  readonly after: Problem;
  readonly directions: Float32Array;
  readonly decrements: Float32Array;
  readonly losses: Float32Array;
}

export async function newton(
  engine: Engine,
  problem: Problem,
  side: Side,
  loss: Loss,
  options: { move?: boolean; ridge?: number; range?: { start: number; end: number } } = {},
): Promise<Taken> {
  const { point, E, W, block } = place(engine, problem);
  const items = side === 'codes' ? problem.n : problem.V;
  const directions = engine.floats(items * problem.width);
  const decrements = engine.floats(items);
  const losses = engine.floats(items);
  const { move, range } = options;
  await engine.newton(
    side,
    { ...point, loss, range },
    { ridge: options.ridge ?? ridge, move, directions, decrements, losses },
  );
  const taken = {
    after: { ...problem, E: await E.read(), W: await W.read() },
    directions: await directions.read(),
    decrements: await decrements.read(),
    losses: await losses.read(),
  };
  for (const used of [E, W, block, directions, decrements, losses]) used.free();
  return taken;
}

export function itemsOf(problem: Problem, side: Side, loss: Loss): Item[] {
  const { V, H, bias } = problem;
  const count = side === 'codes' ? problem.n : V;
  const at = { ...place(reference, problem).point, shape: { V, H, bias }, loss };
  return Array.from({ length: count }, (_, i) => itemAt(side, at, problem, i));
}

/** The system of one item in float64, with what rounding may do to its solutions. */
export interface System {
  readonly item: Item;
  readonly g: Float64Array;
  readonly S: Float64Array;
  /** The same with the largest curvatures there could be. */
  readonly most: Float64Array;
  /** Errors of half residuals and of curvatures: of float32, and of Psi'' between two samples of a table. */
  readonly slopeErrors: Float64Array;
  readonly bendErrors: Float64Array;
}

export function systemOf(item: Item): System {
  const { A, width, weights, loss, z } = item;
  const m = scores(item, z);
  const c = m.map((score, k) => 0.5 * weights[k] * loss.psiSecond(score));
  const S = hessianAt(item, c);
  for (let h = 0; h < item.free; h++) {
    S[h * (item.free + 1)] = 1.0001 * (S[h * (item.free + 1)] + (h < item.penalised ? ridge : 0));
  }
  const spreads = m.map((_, k) => {
    let spread = 0;
    for (let h = 0; h < width; h++) spread += Math.abs(A[k * width + h] * z[h]);
    return spread;
  });
  const tolerance = exactness(loss);
  const r = halfResiduals(item, m);
  return {
    ...{ item, S, g: gradientAt(item, m, z, ridge) },
    most: hessianAt(
      item,
      weights.map((weight) => 0.5 * weight),
    ),
    slopeErrors: r.map((value, k) => tolerance * Math.abs(value) + 5e-7 * weights[k] * (1 + spreads[k])),
    bendErrors: c.map((bend, k) => {
      const near = SAMPLES + 1e-6 * spreads[k];
      const [left, here, right] = [-near, 0, near].map((by) => loss.psiSecond(m[k] + by));
      const jump = Math.abs(left - here) + Math.abs(right - here) + 1e-6;
      return tolerance * bend + 0.5 * weights[k] * jump;
    }),
  };
}

/** At least the distance of two samples of a table. */
const SAMPLES = 0.016;

/** How far d is from solving the system, as a share of what rounding explains. */
function residual(system: System, d: Float32Array): number {
  const { item, g, S, most, slopeErrors, bendErrors } = system;
  const { A, count, width, free } = item;
  const tolerance = exactness(item.loss);
  const left = g.slice();
  const allowed = new Float64Array(free);
  for (let i = 0; i < free; i++) {
    for (let j = 0; j < free; j++) left[i] += S[i * free + j] * d[j];
    allowed[i] = 1e-30 + tolerance * (S[i * (free + 1)] * Math.abs(d[i]) + ridge * Math.abs(item.z[i]));
  }
  for (let k = 0; k < count; k++) {
    let change = 0;
    for (let h = 0; h < free; h++) change += Math.abs(A[k * width + h] * d[h]);
    const error = slopeErrors[k] + bendErrors[k] * change;
    for (let h = 0; h < free; h++) allowed[h] += Math.abs(A[k * width + h]) * error;
  }
  // Coordinates whose curvature float32 does not see stay where they are.
  const flat = (h: number) => S[h * (free + 1)] <= 1e-6 * most[h * (free + 1)];
  return largest(left.map((value, h) => (d[h] === 0 && flat(h) ? 0 : value / allowed[h])));
}

export function expectSolved(systems: readonly System[], taken: Taken, name: string): void {
  systems.forEach((system, i) => {
    const { item, g, slopeErrors } = system;
    const { A, width, free } = item;
    const d = taken.directions.subarray(i * width, (i + 1) * width);
    const label = `item ${i} of ${name}, ${item.loss.name}`;
    expect(residual(system, d), label).toBeLessThan(1);
    for (let h = free; h < width; h++) expect(d[h]).toBe(0);
    let [decrement, allowed] = [0, 1e-30];
    for (let h = 0; h < free; h++) {
      decrement -= g[h] * d[h];
      allowed += 1e-6 * (Math.abs(g[h]) + ridge * Math.abs(item.z[h])) * Math.abs(d[h]);
      for (let k = 0; k < item.count; k++) allowed += Math.abs(A[k * width + h] * d[h]) * slopeErrors[k];
    }
    expect(taken.decrements[i], label).toBeGreaterThanOrEqual(0);
    expect(Math.abs(taken.decrements[i] - decrement), label).toBeLessThan(allowed);
  });
}

import type { Floats, Point, Side, SolveOptions } from '../engine.ts';
import { checkSide, LINEAR } from '../options.ts';
import type { JobFields } from './job.ts';
import { constants } from './layout.generated.ts';
import { setNumber } from './sets.ts';
import type { WasmFloats } from './storage.ts';
import { runWithSums } from './sums.ts';
import { SMOOTHING } from './tables.ts';
import { type Tools, touch } from './tools.ts';

/** `Engine.solve`. */
export async function solve(tools: Tools, side: Side, at: Point, options: SolveOptions): Promise<void> {
  const point = tools.open(side, at);
  const { free, K, width, count } = point;
  const { inverseHessian, sums } = options;
  const radius = options.radius ?? Number.POSITIVE_INFINITY;
  tools.use(inverseHessian, 'the numbers of inverseHessian', free * free);
  checkSide(side, options);
  const losses = tools.optional(options.losses, 'losses', point.items);
  const linear = tools.optional(options.linear, 'linear', point.V);
  const set = setNumber(options.set);
  if (set === undefined) {
    // Once codes are where they should be, losses and sums are the same in every set.
    const { solvePlainly } = await import('./plainly.ts');
    await solvePlainly(tools, at, point, options);
    return solve(tools, side, at, {
      ...options,
      steps: 0,
      linear: undefined,
      set: undefined,
      radius: undefined,
    });
  }
  const { forward, back } = await tools.packs.provide(point.held, 'forward', 'back');
  const square = { floats: inverseHessian as WasmFloats, first: 0, K: free, width: free };
  const precondition = (await tools.packs.provide(square, 'forward')).forward;
  const own: JobFields = {
    smoothing: SMOOTHING,
    kernel: sums ? constants.SOLVE_SUMS : constants.SOLVE,
    forward,
    back,
    precondition,
    linear,
    target: LINEAR,
    steps: options.steps,
    tolerance: options.tolerance,
    ridge: options.ridge,
    radius,
    set,
    stepScale: radius < Number.POSITIVE_INFINITY || options.set ? meanDiagonal(inverseHessian, free) : 0,
    losses,
  };
  const cost = count * K * width * 2 * (options.steps + 1);
  const parts = [...point.parts, own];
  if (sums) await runWithSums(tools, parts, point, sums, cost);
  else await tools.panels(parts, count, cost);
  touch(point.moved, options.losses);
}

function meanDiagonal(square: Floats, size: number): number {
  const values = (square as WasmFloats).copy();
  let sum = 0;
  for (let i = 0; i < size; i++) sum += values[i * size + i];
  return sum / Math.max(1, size);
}

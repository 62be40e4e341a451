import type { Gradients, Measures, Point } from '../engine.ts';
import type { JobFields } from './job.ts';
import { constants } from './layout.generated.ts';
import { runWithSums } from './sums.ts';
import { type Tools, touch } from './tools.ts';

/** `Engine.measure`. */
export async function measure(tools: Tools, at: Point, out: Measures): Promise<void> {
  const point = tools.open('codes', at);
  const { K, width, count, items } = point;
  const losses = tools.optional(out.losses, 'losses', items);
  const gaps = tools.optional(out.gaps, 'gaps', items);
  const { forward, back } = await tools.packs.provide(point.held, 'forward', 'back');
  const own: JobFields = { kernel: constants.MEASURE, forward, back, losses, gaps, radius: out.radius ?? 1 };
  await tools.panels([...point.parts, own], count, count * K * width * 2);
  touch(out.losses, out.gaps);
}

/** `Engine.gradients`. */
export async function gradients(tools: Tools, at: Point, out: Gradients): Promise<void> {
  const point = tools.open('codes', at);
  const { V, width, count, items } = point;
  const { forward, back } = await tools.packs.provide(point.held, 'forward', 'back');
  const own: JobFields = {
    kernel: constants.GRADIENT_SUMS,
    forward,
    back,
    losses: tools.optional(out.losses, 'losses', items),
    out: tools.optional(out.codes, 'the gradients of codes', items * width),
  };
  await runWithSums(tools, [...point.parts, own], point, { gradient: out.weights }, count * V * width * 3);
  touch(out.codes, out.losses);
}

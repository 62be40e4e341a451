import type { NewtonOptions, Point, Side } from '../engine.ts';
import { checkCurved } from '../options.ts';
import type { JobFields } from './job.ts';
import { constants } from './layout.generated.ts';
import { type Tools, touch } from './tools.ts';

/** `Engine.newton`. */
export async function newton(tools: Tools, side: Side, at: Point, options: NewtonOptions): Promise<void> {
  checkCurved(at.loss);
  const point = tools.open(side, at);
  const { K, width, free, count, items } = point;
  const { ridge, move = false } = options;
  const { forward, back } = await tools.packs.provide(point.held, 'forward', 'back');
  const own: JobFields = {
    kernel: constants.NEWTON,
    forward,
    back,
    ridge,
    radius: Number.POSITIVE_INFINITY,
    steps: move ? 1 : 0,
    out: tools.optional(options.directions, 'directions', items * width),
    gaps: tools.optional(options.decrements, 'decrements', items),
    losses: tools.optional(options.losses, 'losses', items),
  };
  await tools.panels([...point.parts, own], count, count * K * width * (free / 2 + 4));
  if (move) touch(point.moved);
  touch(options.directions, options.decrements, options.losses);
}

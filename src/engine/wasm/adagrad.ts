import type { AdagradOptions, Point, Side } from '../engine.ts';
import type { JobFields } from './job.ts';
import { constants } from './layout.generated.ts';
import type { WasmFloats } from './storage.ts';
import { type Tools, touch } from './tools.ts';

/** `Engine.adagrad`. */
export async function adagrad(tools: Tools, side: Side, at: Point, options: AdagradOptions): Promise<void> {
  const point = tools.open(side, at);
  const { K, width, count } = point;
  const accumulators = options.accumulators as WasmFloats;
  const first = point.firstRow * width;
  tools.use(accumulators, 'accumulators', first + point.items * width);
  const { forward, back } = await tools.packs.provide(point.held, 'forward', 'back');
  const own: JobFields = {
    kernel: constants.ADAGRAD,
    forward,
    back,
    half: 2 * point.half,
    steps: options.steps,
    rate: options.rate,
    radius: options.radius ?? Number.POSITIVE_INFINITY,
    accumulators: accumulators.at + 4 * first,
  };
  await tools.panels([...point.parts, own], count, count * K * width * 2 * options.steps);
  touch(point.moved, accumulators);
}

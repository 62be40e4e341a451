import type { Floats, Point, Side, Slopes } from '../engine.ts';
import { constants } from './layout.generated.ts';
import type { Tools } from './tools.ts';

/** `Engine.slopes`. */
export async function slopes(tools: Tools, side: Side, at: Point, directions?: Floats): Promise<Slopes> {
  const { memory } = tools;
  const point = tools.open(side, at);
  const { K, width, count, items } = point;
  const along = tools.optional(directions, 'directions', items * width);
  const { forward, back } = await tools.packs.provide(point.held, 'forward', 'back');
  const size = width + LEADING;
  const out = memory.allocate(8 * count * size, 'slopes');
  // 1 / n is no float32 number: it is divided by in the end, in float64.
  const share = side === 'weights' ? 1 / at.block.n : 1;
  try {
    const own = { ...point.fields, ...tools.losses.chords(at.loss) };
    const fields = { ...own, kernel: constants.SLOPES, half: 0.5, directions: along };
    await tools.panels({ ...fields, forward, back, out }, count, count * K * width * (along ? 6 : 4));
    const found = memory.doubles(out, count * size).map((value) => value * share);
    return {
      losses: Float64Array.from({ length: count }, (_, i) => found[i * size]),
      conjugates: Float64Array.from({ length: count }, (_, i) => found[i * size + 1]),
      gradients: Float64Array.from(
        { length: count * width },
        (_, k) => found[Math.floor(k / width) * size + LEADING + (k % width)],
      ),
    };
  } finally {
    memory.free(out);
  }
}

/** Numbers in front of an item's gradient. */
const LEADING = 2;

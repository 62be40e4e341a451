import { crossEntropy } from '../../losses/cross-entropy.ts';
import { type Floats, type Point, type Side, WIDE } from '../engine.ts';
import type { DualMove, Slopes } from '../proofs.ts';
import { checkCurved } from '../reference/newton.ts';
import { constants } from './layout.generated.ts';
import { newton } from './newton.ts';
import { WasmFloats } from './storage.ts';
import type { Tools } from './tools.ts';

/** `Engine.slopes`. */
export async function slopes(tools: Tools, side: Side, at: Point, moved?: DualMove): Promise<Slopes> {
  if (!moved) return slopesAlong(tools, side, at, {});
  if ('directions' in moved) return slopesAlong(tools, side, at, moved);
  checkCurved(at.loss);
  const { ridge } = moved;
  const { V, K, items, width } = tools.open(side, at);
  const wide = V >= WIDE && K > 2 * constants.SAMPLE && at.loss === crossEntropy;
  if (wide) return slopesAlong(tools, side, at, { ridge });
  const directions = new WasmFloats(tools.memory, items * width);
  try {
    await newton(tools, side, at, { ridge, directions });
    return await slopesAlong(tools, side, at, { directions });
  } finally {
    directions.free();
  }
}

/** Slopes with dual points moved along directions, or few of them by Newton's step with a ridge, or none. */
async function slopesAlong(
  tools: Tools,
  side: Side,
  at: Point,
  { directions, ridge }: { readonly directions?: Floats; readonly ridge?: number },
): Promise<Slopes> {
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
    const few = ridge === undefined ? {} : { few: 1, ridge: ridge / share };
    const own = { kernel: constants.SLOPES, half: 0.5, directions: along, ...few, forward, back, out };
    const cost = count * K * width * (directions || ridge !== undefined ? 6 : 4);
    await tools.panels([...point.parts, tools.losses.chords(at.loss), own], count, cost);
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

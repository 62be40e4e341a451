import { crossEntropy } from '../../losses/cross-entropy.ts';
import { type Floats, type Point, type Side, type Slopes, widthOf } from '../engine.ts';
import { itemAt } from '../reference/item.ts';
import { SlopesOfItems } from '../reference/slopes.ts';
import { constants } from './binary.generated.ts';
import { useBlock, type WasmFloats } from './storage.ts';
import type { Tools } from './tools.ts';

/** `Engine.slopes`. */
export async function slopes(tools: Tools, side: Side, at: Point, directions?: Floats): Promise<Slopes> {
  if (at.loss !== crossEntropy) return slopesPlainly(tools, side, at, directions);
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
    const fields = { ...point.fields, kernel: constants.SLOPES, half: 0.5, directions: along };
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

/** Losses without a kernel, in plain float64. */
async function slopesPlainly(
  { memory, pool }: Tools,
  side: Side,
  at: Point,
  directions?: Floats,
): Promise<Slopes> {
  const block = useBlock(memory, at.block);
  const width = widthOf(at.shape);
  const copy = (floats?: Floats) => (floats as WasmFloats | undefined)?.copy();
  const stored = {
    rows: block.copy(),
    ...{ W: copy(at.W)!, E: copy(at.E)! },
    ...{ columnWeights: copy(at.columnWeights), rowWeights: copy(at.rowWeights) },
  };
  const along = copy(directions);
  const { start, end } = at.range ?? { start: 0, end: side === 'codes' ? block.n : at.shape.V };
  const found = new SlopesOfItems(end - start, width);
  for (let i = start; i < end; i++) {
    await pool.breath.between(pool.signal);
    const direction = along && Float64Array.from(along.subarray(i * width, (i + 1) * width));
    found.take(itemAt(side, at, stored, i), i - start, direction);
  }
  return found;
}

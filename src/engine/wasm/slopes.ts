import { crossEntropy } from '../../losses/cross-entropy.ts';
import { takeColumns } from '../../rows/select.ts';
import { type Floats, type Point, type Side, WIDE, widthOf } from '../engine.ts';
import { checkCurved } from '../options.ts';
import type { DualMove, Slopes } from '../proofs.ts';
import { constants } from './layout.generated.ts';
import { newton } from './newton.ts';
import { useBlock, WasmBlock, WasmFloats } from './storage.ts';
import type { Tools } from './tools.ts';

/** `Engine.slopes`. */
export async function slopes(
  tools: Tools,
  side: Side,
  at: Point,
  moved?: DualMove,
  bits?: Int32Array,
): Promise<Slopes> {
  if (bits) return slopesOfBits(tools, side, at, moved, bits);
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

/** Puts bits that stand apart side by side, because kernels work on eight neighbours at a time. */
async function slopesOfBits(
  tools: Tools,
  side: Side,
  at: Point,
  moved: DualMove | undefined,
  bits: Int32Array,
): Promise<Slopes> {
  if (side !== 'weights') throw new Error("engine: bits are chosen on side 'weights' only");
  const { memory } = tools;
  const { block, shape, W, columnWeights } = at;
  const own: { free(): void }[] = [];
  const taken = (floats: Floats, width: number): Floats => {
    const all = (floats as WasmFloats).copy();
    const some = new WasmFloats(memory, bits.length * width);
    own.push(some);
    bits.forEach((v, i) => {
      some.write(all.subarray(v * width, (v + 1) * width), i * width);
    });
    return some;
  };
  try {
    const columns = WasmBlock.load(memory, takeColumns(useBlock(memory, block).copy(), bits));
    own.push(columns);
    const width = widthOf(shape);
    const there = {
      ...at,
      block: columns,
      shape: { ...shape, V: bits.length },
      W: taken(W, width),
      columnWeights: columnWeights && taken(columnWeights, 1),
      range: undefined,
    };
    const along = moved && 'directions' in moved ? { directions: taken(moved.directions, width) } : moved;
    return await slopes(tools, side, there, along);
  } finally {
    for (const one of own) one.free();
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

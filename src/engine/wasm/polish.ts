import type { Loss } from '../../losses/loss.ts';
import { type Point, widthOf } from '../engine.ts';
import type { Certificates, PolishOptions } from '../proofs.ts';
import { itemAt } from '../reference/item.ts';
import { polishItem } from '../reference/polish.ts';
import type { JobFields } from './job.ts';
import { constants } from './layout.generated.ts';
import type { OpenPoint } from './point.ts';
import { setNumber } from './sets.ts';
import { useBlock, type WasmFloats } from './storage.ts';
import { SMOOTHING } from './tables.ts';
import { type Tools, touch } from './tools.ts';

/** `Engine.polish`. */
export async function polish(tools: Tools, at: Point, options: PolishOptions): Promise<Certificates> {
  const point = tools.open('codes', at);
  const { items, start, count } = point;
  const rows = options.rows ?? Int32Array.from({ length: count }, (_, i) => start + i);
  for (const row of rows) {
    if (row < 0 || row >= items) throw new Error(`engine: polish row ${row}; there are ${items} rows`);
  }
  touch(point.moved);
  const set = setNumber(options.set);
  if (set === undefined) return polishPlainly(tools, at, options, rows);
  return polishByKernel(tools, point, at.loss, { ...options, number: set }, rows);
}

async function polishByKernel(
  tools: Tools,
  point: OpenPoint,
  loss: Loss,
  options: PolishOptions & { readonly number: number },
  rows: Int32Array,
): Promise<Certificates> {
  const { memory } = tools;
  const { width, V } = point;
  const { forward, back } = await tools.packs.provide(point.held, 'forward', 'back');
  const list = options.rows ? memory.allocate(4 * rows.length, 'a list of rows') : 0;
  const out = memory.allocate(16 * rows.length, 'certificates');
  try {
    if (list) memory.integers(list, rows.length).set(rows);
    const { steps, tolerance, radius } = options;
    const own: JobFields = {
      smoothing: SMOOTHING,
      kernel: constants.POLISH,
      list,
      out,
      forward,
      back,
      steps,
      tolerance,
      radius,
      tolerance64: tolerance,
      radius64: radius,
      set: options.number,
    };
    // Neighbouring rows are worked on in panels, those of a list one by one.
    const units = list ? rows.length : Math.ceil(rows.length / 8);
    const parts = [...point.parts, tools.losses.chords(loss), own];
    await tools.pool.run(parts, rows.length * V * width * (width + 8), units);
    const results = memory.doubles(out, 2 * rows.length);
    return {
      losses: Float64Array.from(rows, (_, i) => results[2 * i]),
      gaps: Float64Array.from(rows, (_, i) => results[2 * i + 1]),
    };
  } finally {
    memory.free(list);
    memory.free(out);
  }
}

/** Codes of sets that no kernel knows are polished row by row in plain float64, at up to a second each. */
async function polishPlainly(
  { memory, pool }: Tools,
  at: Point,
  options: PolishOptions,
  rows: Int32Array,
): Promise<Certificates> {
  const block = useBlock(memory, at.block);
  const losses = new Float64Array(rows.length);
  const gaps = new Float64Array(rows.length);
  const width = widthOf(at.shape);
  const E = at.E as WasmFloats;
  const W = (at.W as WasmFloats).copy();
  const columnWeights = (at.columnWeights as WasmFloats | undefined)?.copy();
  for (const [i, row] of rows.entries()) {
    await pool.breath.between(pool.signal);
    const first = ((at.offset ?? 0) + row) * width;
    const stored = { rows: block.row(row), W, E: E.copy(first, first + width), columnWeights };
    const polished = polishItem(itemAt('codes', { ...at, offset: 0 }, stored, 0), options);
    E.write(polished.z, first);
    losses[i] = polished.loss;
    gaps[i] = polished.gap;
  }
  return { losses, gaps };
}

import type { Loss } from '../../losses/loss.ts';
import type { Point } from '../engine.ts';
import type { Certificates, PolishOptions } from '../proofs.ts';
import type { JobFields } from './job.ts';
import { constants } from './layout.generated.ts';
import type { OpenPoint } from './point.ts';
import { setNumber } from './sets.ts';
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
  if (set === undefined) {
    const { polishPlainly } = await import('./plainly.ts');
    return polishPlainly(tools, at, options, rows);
  }
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

/** What the kernels cannot do: codes of sets that they do not know, row by row in plain float64. */
import { type Point, type SolveOptions, widthOf } from '../engine.ts';
import type { Certificates, PolishOptions } from '../proofs.ts';
import { itemAt } from '../reference/item.ts';
import { polishItem } from '../reference/polish.ts';
import { solveItem } from '../reference/solve.ts';
import type { OpenPoint } from './point.ts';
import { useBlock, type WasmFloats } from './storage.ts';
import type { Tools } from './tools.ts';

/** `Engine.solve` on side 'codes'. */
export async function solvePlainly(
  { memory, pool }: Tools,
  at: Point,
  { start, count, width }: OpenPoint,
  options: SolveOptions,
): Promise<void> {
  const block = useBlock(memory, at.block);
  const numbers = {
    inverseHessian: await options.inverseHessian.read(),
    linear: await options.linear?.read(),
  };
  const W = await at.W.read();
  const columnWeights = await at.columnWeights?.read();
  for (let row = start; row < start + count; row++) {
    await pool.breath.between(pool.signal);
    const first = ((at.offset ?? 0) + row) * width;
    const stored = { rows: block.row(row), W, E: await at.E.read(first, first + width), columnWeights };
    at.E.write(solveItem(itemAt('codes', { ...at, offset: 0 }, stored, 0), numbers, options), first);
  }
}

/** `Engine.polish`, at up to a second per row. */
export async function polishPlainly(
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

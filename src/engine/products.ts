import type { Rows } from '../rows/rows.ts';
import { type Block, type Engine, type Floats, floatsOf } from './engine.ts';

/** X A, read back, for A of V x width: n x width. Missing entries count as 0. */
export async function projected(
  engine: Engine,
  block: Block,
  A: ArrayLike<number>,
  width: number,
): Promise<Float32Array> {
  const factor = floatsOf(engine, A);
  const out = engine.floats(block.n * width);
  await engine.project(block, factor, width, out);
  const values = await out.read();
  for (const held of [factor, out]) held.free();
  return values;
}

/** The same for rows that are not in the engine. */
export async function projectedRows(
  engine: Engine,
  rows: Rows,
  A: ArrayLike<number>,
  width: number,
): Promise<Float32Array> {
  const block = engine.load(rows);
  const values = await projected(engine, block, A, width);
  block.free();
  return values;
}

/** X^T Y, read back, for Y of n x width: V x width. Missing entries count as 0. */
export async function correlated(
  engine: Engine,
  block: Block,
  Y: Floats,
  width: number,
): Promise<Float32Array> {
  const sums = engine.floats(block.V * width);
  await engine.correlate(block, Y, width, sums);
  const values = await sums.read();
  sums.free();
  return values;
}

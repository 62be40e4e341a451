import { type Engine, floatsOf, type Point, widthOf } from '../engine/engine.ts';
import type { Rows } from '../rows/rows.ts';
import { withBias } from '../solvers/codes.ts';
import type { ModelParts } from './parts.ts';

/** Loads some rows, their codes (n x H) and a model's weights into an engine. Its scope frees them. */
export function openPiece(engine: Engine, rows: Rows, codes: Float32Array, model: ModelParts): Point {
  const { V, H, bias, reconstructionLoss: loss, columnWeights } = model;
  const shape = { V, H, bias };
  return {
    block: engine.load(rows),
    shape,
    loss,
    W: floatsOf(engine, model.W),
    E: floatsOf(engine, withBias(codes, H, widthOf(shape))),
    columnWeights: columnWeights && floatsOf(engine, columnWeights),
  };
}

/** The scores W E, or the reconstructions in [-1, 1]: n x V. */
export function decodePiece(
  engine: Engine,
  { block, shape, W, E, loss }: Point,
  what: 'scores' | 'transfer' = 'transfer',
): Promise<Float32Array> {
  return engine.decode({ W, E, shape, range: { start: 0, end: block.n }, loss }, what);
}

/** The loss of every row at its given code. */
export async function measurePiece(engine: Engine, piece: Point): Promise<Float32Array> {
  const losses = engine.floats(piece.block.n);
  await engine.measure(piece, { losses });
  return await losses.read();
}

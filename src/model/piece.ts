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

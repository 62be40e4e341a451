import { type Engine, type Point, widthOf } from '../engine/engine.ts';
import { type Hold, holding } from '../engine/hold.ts';
import type { Rows } from '../rows/rows.ts';
import { withBias } from '../solvers/codes.ts';
import type { ModelParts } from './model.ts';

/** Some rows and codes for them (n x H), inside an engine with a model's weights. */
export function openPiece(
  engine: Engine,
  hold: Hold,
  rows: Rows,
  codes: Float32Array,
  model: ModelParts,
): Point {
  const { V, H, bias, reconstructionLoss: loss, columnWeights } = model;
  const shape = { V, H, bias };
  const numbers = (values: Float32Array) => {
    const floats = hold(engine.floats(values.length));
    floats.write(values);
    return floats;
  };
  return {
    ...{ block: hold(engine.load(rows)), shape, loss },
    W: numbers(model.W),
    E: numbers(withBias(codes, H, widthOf(shape))),
    columnWeights: columnWeights && numbers(columnWeights),
  };
}

/** What W makes of the codes: scores, or reconstructions in [-1, 1], n x V. */
export function decodePiece(
  engine: Engine,
  { block, shape, W, E, loss }: Point,
  what: 'scores' | 'transfer' = 'transfer',
): Promise<Float32Array> {
  return engine.decode(W, E, shape, { start: 0, end: block.n }, what, loss);
}

/** The loss of every row at its code as it is. */
export function measurePiece(engine: Engine, piece: Point): Promise<Float32Array> {
  return holding(async (hold) => {
    const losses = hold(engine.floats(piece.block.n));
    await engine.measure(piece, { losses });
    return losses.read();
  });
}

/** X E^T: V x width. */
export function correlatePiece(engine: Engine, { block, W, E }: Point): Promise<Float32Array> {
  return holding(async (hold) => {
    const sums = hold(engine.floats(W.length));
    await engine.correlate(block, E, W.length / block.V, sums);
    return sums.read();
  });
}

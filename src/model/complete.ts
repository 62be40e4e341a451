import { withEngine } from '../engine/scope.ts';
import { entriesOf } from '../rows/entries.ts';
import { normaliseGroups } from '../rows/groups.ts';
import type { RowsInput } from '../rows/input.ts';
import type { Rows } from '../rows/rows.ts';
import { complete, type Neighbours } from '../solvers/neighbours.ts';
import type { EncodeOptions } from './autoencoder.ts';
import type { PCAE } from './model.ts';
import type { ModelParts } from './parts.ts';
import { openPiece } from './piece.ts';

/**
 * Predicts the missing entries of rows, piece by piece. Each row is encoded from its known entries and
 * decoded; a model with neighbours then corrects the result by the row's other columns. `shares` (n x V, in
 * [-1, 1]) hold a reconstruction of every entry. Within one category the probabilities add up to one.
 */
export async function* completeSource(
  model: PCAE,
  rows: RowsInput,
  options: EncodeOptions = {},
): AsyncGenerator<{ readonly rows: Rows; readonly shares: Float32Array }> {
  const { groups, V, neighbours } = model;
  for await (const part of model.encodeSource(rows, options)) {
    const shares = neighbours
      ? await withNeighbours(model, neighbours, part.rows, part.codes, options)
      : await model.decode(part.codes, options);
    yield { rows: part.rows, shares: groups ? normaliseGroups(shares, V, groups) : shares };
  }
}

/** The same for rows in memory: n x V. */
export async function completeRows(
  model: PCAE,
  rows: Rows,
  options: EncodeOptions = {},
): Promise<Float32Array> {
  const out = new Float32Array(rows.n * rows.V);
  let at = 0;
  for await (const { shares } of completeSource(model, rows, options)) {
    out.set(shares, at);
    at += shares.length;
  }
  return out;
}

/** The scores of all entries, from the codes of the rows: n x V. */
export function scoresOf(
  model: ModelParts,
  rows: Rows,
  codes: Float32Array,
  options: EncodeOptions,
): Promise<Float32Array> {
  return withEngine(options, (engine) => engine.decode(openPiece(engine, rows, codes, model), 'scores'));
}

/** Reconstructions from codes and neighbours together. */
async function withNeighbours(
  model: PCAE,
  neighbours: Neighbours,
  rows: Rows,
  codes: Float32Array,
  options: EncodeOptions,
): Promise<Float32Array> {
  const { V, groups, reconstructionLoss: loss } = model;
  const scores = await scoresOf(model, rows, codes, options);
  const partial = { n: rows.n, V, known: entriesOf(rows), scores };
  return complete(neighbours, partial, { loss, groups }).map((score) => loss.transfer(score));
}

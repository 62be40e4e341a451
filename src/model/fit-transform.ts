import { isSource, type RowsInput } from '../rows/input.ts';
import { collect } from '../rows/memory.ts';
import type { RowSource } from '../rows/source.ts';
import type { Encoded } from '../solvers/encode.ts';
import type { FitOptions } from '../training/options.ts';
import { fit } from './fit.ts';
import type { PCAE } from './model.ts';

/** A learned model, with the codes of the rows that it was learned from. */
export interface FittedCodes extends Encoded {
  readonly model: PCAE;
}

/**
 * Learns a model and encodes the same rows with it, as scikit-learn's users know it:
 *
 *     const { model, codes, gaps } = await fitTransform({ data, n: 1000, V: 64 }, { H: 8 });
 *
 * Codes are those that `model.encode(rows)` gives, each with its loss and its proven gap.
 */
export async function fitTransform(rows: RowsInput | RowSource, options: FitOptions): Promise<FittedCodes> {
  // Twice the same rows: a source is read once.
  const kept = isSource(rows) ? await collect(rows) : rows;
  const model = await fit(kept, options);
  const { engine, signal } = options;
  return { model, ...(await model.encode(kept, { engine, signal })) };
}

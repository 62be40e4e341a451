import { type RowsInput, readRowsOrSource } from '../rows/input.ts';
import type { Encoded } from '../solvers/encode.ts';
import type { FitOptions } from '../training/options.ts';
import { fit } from './fit.ts';
import type { PCAE } from './model.ts';

/** A learned model with the codes of its training rows. */
export interface FittedCodes extends Encoded {
  readonly model: PCAE;
}

/**
 * Learns a model and encodes the training rows with it, like scikit-learn's `fit_transform`:
 *
 *     const { model, codes, gaps } = await fitTransform({ data, n: 1000, V: 64 }, { H: 8 });
 *
 * The codes are those of `model.encode(rows)`, each with its loss and its proven gap.
 */
export async function fitTransform(rows: RowsInput, options: FitOptions): Promise<FittedCodes> {
  const known = await readRowsOrSource(rows, undefined, options?.signal);
  const model = await fit(known, options);
  const { engine, signal } = options;
  return { model, ...(await model.encode(known, { engine, signal })) };
}

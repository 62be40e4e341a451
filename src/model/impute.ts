import { encodingOf } from '../encodings/by-name.ts';
import { normaliseGroups } from '../rows/groups.ts';
import { asRows, type RowsInput } from '../rows/input.ts';
import { entry, type RealRows, type Rows } from '../rows/rows.ts';
import type { Shrink } from '../solvers/shrink.ts';
import type { EncodeOptions, PCAE } from './model.ts';
import { valuesBefore } from './reading.ts';

export interface ImputeOptions extends EncodeOptions {
  /**
   * How far codes are drawn towards 0: the best code of a row is far too sure of what it did not see. Default: what
   * guesses known entries of these rows best when they are hidden; 0 for codes of bits and for models that denoise.
   */
  readonly shrink?: number;
}

/** How codes were drawn towards 0, and what an unknown entry will cost, going by known ones that were hidden. */
export interface Shrunk extends Partial<Shrink> {
  readonly shrink: number;
}

export interface Imputed extends RealRows, Shrunk {}

/**
 * Rows with their unknown entries filled in: each row is encoded by what is known of it and decoded; known entries stay
 * as they are. A filled entry is the mean of its bit, in [-1, 1]: (1 + x) / 2 is the probability of a one. Among the
 * columns of one category these probabilities add up to one.
 */
export async function impute(model: PCAE, rows: RowsInput, options: ImputeOptions = {}): Promise<Imputed> {
  if (typeof model?.chooseShrink !== 'function')
    throw new TypeError('impute: expected a model of one layer, as fit and PCAE.load give it');
  const checked = asRows(rows, 'rows', valuesBefore(model.schema));
  const shrunk = await shrinkFor(model, checked, options);
  const decoded = await model.reconstruct(checked, { ...options, shrink: shrunk.shrink });
  const shares = model.groups ? normaliseGroups(decoded, model.V, model.groups) : decoded;
  return { ...fillUnknown(checked, shares), ...shrunk };
}

/** The shrink that was asked for, or the one that these rows ask for. */
export async function shrinkFor(
  model: PCAE,
  rows: Rows,
  options: Pick<ImputeOptions, 'shrink' | 'engine'>,
): Promise<Shrunk> {
  if (options.shrink !== undefined) return { shrink: options.shrink };
  if (encodingOf(model.encoding).refuses.shrink || model.restoring) return { shrink: 0 };
  return model.chooseShrink(rows, options);
}

/** The rows, with reconstructions (n x V) in the place of what is unknown. */
export function fillUnknown(rows: Rows, decoded: Float32Array): RealRows {
  const { n, V } = rows;
  const values = new Float32Array(n * V);
  for (let k = 0; k < values.length; k++) {
    const x = entry(rows, Math.floor(k / V), k % V);
    values[k] = Number.isNaN(x) ? decoded[k] : x;
  }
  return { kind: 'real', n, V, values };
}

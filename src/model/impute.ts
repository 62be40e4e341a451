import { type Filling, fillThreshold } from '../promises/filled.ts';
import { entriesOf } from '../rows/entries.ts';
import { type RowsInput, readRows } from '../rows/input.ts';
import type { RealRows, Rows } from '../rows/rows.ts';
import type { EncodeOptions } from './autoencoder.ts';
import { cellsOf, sureOf } from './cells.ts';
import { completeRows } from './complete.ts';
import type { PCAE } from './model.ts';
import { type Shrunk, shrinkFor } from './shrunk.ts';

export interface ImputeOptions extends EncodeOptions {
  /**
   * How far codes are pulled towards 0. Without it, the best code of a row is far too sure of entries it did
   * not see. Default: the value that guesses hidden known entries of these rows best; 0 for codes of bits and
   * for models that denoise.
   */
  readonly shrink?: number;
  /**
   * Fill in only entries that the model is sure of, so that at most this share of them is wrong; the rest
   * stays NaN. Needs a calibrated model; the `shrink` of the calibration is used.
   */
  readonly wrong?: number;
  /** The confidence of that promise. Default 0.99. */
  readonly confidence?: number;
}

export interface Imputed extends RealRows, Shrunk {
  /** With `wrong`: how sure a guess had to be, and the result on the calibration rows. */
  readonly filling?: Filling;
}

/**
 * Fills in the unknown entries of rows: each row is encoded by its known entries and decoded; known entries
 * stay as they are. A filled entry is the mean of its bit, in [-1, 1]: (1 + x) / 2 is the probability of a
 * one. Among the columns of one category these probabilities add up to one.
 */
export async function impute(model: PCAE, rows: RowsInput, options: ImputeOptions = {}): Promise<Imputed> {
  if (typeof model?.chooseShrink !== 'function')
    throw new TypeError('impute: expected a model of one layer, as fit gives it');
  const checked = await readRows(rows, 'rows', model.schema, options.signal);
  const filling = options.wrong === undefined ? undefined : fillingFor(model, options.wrong, options);
  const shrunk = filling
    ? { shrink: model.calibration?.guesses?.shrink ?? 0 }
    : await shrinkFor(model, checked, options);
  const shares = await completeRows(model, checked, { ...options, shrink: shrunk.shrink });
  if (filling) eraseUnsure(shares, model, filling.threshold);
  return { ...fillUnknown(checked, shares), ...shrunk, ...(filling && { filling }) };
}

/**
 * The certainty that a guess must reach so that at most the given share is wrong, from the model's
 * calibration.
 */
export function fillingFor(
  model: PCAE,
  wrong: number,
  { confidence = 0.99, shrink }: ImputeOptions,
): Filling {
  for (const [name, share] of Object.entries({ wrong, confidence })) {
    if (!(share > 0 && share < 1))
      throw new RangeError(`impute: ${name} must lie between 0 and 1, got ${share}`);
  }
  const guesses = model.calibration?.guesses;
  if (!guesses) {
    throw new RangeError(
      'impute: wrong needs a model with a calibration; calibrate(model, rows) gives it one, from rows that took no part in learning',
    );
  }
  if (shrink !== undefined && shrink !== guesses.shrink) {
    throw new RangeError(
      `impute: with wrong, shrink is that of the calibration, ${guesses.shrink}: leave it out; got ${shrink}`,
    );
  }
  return fillThreshold(guesses, wrong, -Math.log1p(-confidence));
}

/** Erases reconstructions that are not certain enough. Columns of one category are erased together. */
export function eraseUnsure(
  shares: Float32Array,
  { V, groups }: Pick<PCAE, 'V' | 'groups'>,
  threshold: number,
): void {
  const cells = cellsOf(V, groups);
  for (let at = 0; at < shares.length; at += V) {
    for (const cell of cells) {
      if (Math.fround(sureOf(cell, shares, at)) >= threshold) continue;
      shares.fill(Number.NaN, at + cell.first, at + cell.first + cell.columns);
    }
  }
}

/** The rows with reconstructions (n x V) in place of their unknown entries. */
export function fillUnknown(rows: Rows, decoded: Float32Array): RealRows {
  const { n, V } = rows;
  const values = entriesOf(rows).map((x, k) => (Number.isNaN(x) ? decoded[k] : x));
  return { kind: 'real', n, V, values };
}

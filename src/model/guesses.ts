import { uniformInt } from 'pure-rand/distribution/uniformInt';
import type { Guesses } from '../promises/filled.ts';
import { rowStream } from '../rows/binarize.ts';
import { hideEntries } from '../rows/hide.ts';
import { entry, type Rows, takeRows } from '../rows/rows.ts';
import { permutation } from '../rows/split.ts';
import type { EncodeOptions } from './autoencoder.ts';
import { type Cell, cellsOf, sureOf } from './cells.ts';
import { completeRows } from './complete.ts';
import type { PCAE } from './model.ts';
import { shrinkFor } from './shrunk.ts';

/**
 * Hides known entries of these rows and guesses them, for promises about filled-in entries. A tenth of the
 * rows is set aside to choose how far codes are pulled towards 0, because guesses may only be judged on rows
 * that had no part in them.
 */
export async function guessHidden(
  model: PCAE,
  rows: Rows,
  options: EncodeOptions & { readonly hide: number; readonly seed: number },
): Promise<Guesses> {
  const { hide, seed } = options;
  const order = permutation(rows.n, seed);
  const scouts = Math.max(1, Math.floor(rows.n / 10));
  const { shrink } = await shrinkFor(model, takeRows(rows, order.subarray(0, scouts)), options);
  const judged = takeRows(rows, order.subarray(scouts, scouts + MOST_ROWS));
  const { shown, hidden } = hideEntries(judged, hide, seed, model.groups);
  const shares = await completeRows(model, shown, { ...options, shrink });
  const cells = cellsOf(model.V, model.groups);
  const perRow = Math.max(1, Math.min(Math.ceil(hide * cells.length), Math.floor(MOST_GUESSES / judged.n)));
  const values = new Float32Array(judged.n * perRow);
  for (let i = 0; i < judged.n; i++) {
    const guesses = cells.map((cell) => guessOf(cell, hidden, shares, i)).filter((guess) => guess !== 0);
    values.set(draw(guesses, perRow, seed, i), i * perRow);
  }
  return { perRow, values, hide, shrink };
}

const MOST_ROWS = 20_000;
const MOST_GUESSES = 65_536;

/** The probability of the guess at a cell of row i, negated if it is wrong; 0 if the cell was not hidden. */
function guessOf(cell: Cell, hidden: Rows, shares: Float32Array, i: number): number {
  const at = i * hidden.V;
  const sure = Math.fround(sureOf(cell, shares, at));
  for (let v = cell.first; v < cell.first + cell.columns; v++) {
    const x = entry(hidden, i, v);
    if (Number.isNaN(x)) return 0;
    const isGuessed =
      cell.columns === 1 ? shares[at + v] >= 0 : (1 + shares[at + v]) / 2 === sureOf(cell, shares, at);
    if (isGuessed !== x > 0) return -sure;
  }
  return sure;
}

/** `count` of the guesses, drawn without replacement from the row's own random numbers. */
function draw(guesses: number[], count: number, seed: number, i: number): number[] {
  const stream = rowStream(seed + 1, i);
  for (let k = 0; k < Math.min(count, guesses.length); k++) {
    const j = uniformInt(stream, k, guesses.length - 1);
    [guesses[k], guesses[j]] = [guesses[j], guesses[k]];
  }
  return guesses.slice(0, count);
}

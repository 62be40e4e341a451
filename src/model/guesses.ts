import { uniformInt } from 'pure-rand/distribution/uniformInt';
import type { Guesses } from '../promises/filled.ts';
import { rowStream, sampleUnit } from '../rows/binarize.ts';
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
 * that had no part in them. The same rows say how many guesses a row may have at most; a row with more hidden
 * entries than any of them counts as if it had no more.
 */
export async function guessHidden(
  model: PCAE,
  rows: Rows,
  options: EncodeOptions & { readonly hide: number; readonly seed: number },
): Promise<Guesses> {
  const { hide, seed } = options;
  const order = permutation(rows.n, seed);
  const scouts = Math.max(1, Math.floor(rows.n / 10));
  const first = takeRows(rows, order.subarray(0, scouts));
  const { shrink } = await shrinkFor(model, first, options);
  const judged = takeRows(rows, order.subarray(scouts, scouts + MOST_ROWS));
  const { shown, hidden } = hideEntries(judged, hide, seed, model.groups);
  const shares = await completeRows(model, shown, { ...options, shrink });
  const cells = cellsOf(model.V, model.groups);
  const most = mostOf(cells, hideEntries(first, hide, seed, model.groups).hidden);
  const perRow = Math.max(1, Math.min(most, Math.floor(MOST_GUESSES / judged.n)));
  const values = new Float32Array(judged.n * perRow);
  for (let i = 0; i < judged.n; i++) {
    const guesses = knownCells(cells, hidden, i).map((cell) => guessOf(cell, hidden, shares, i));
    const asked = (perRow * Math.min(guesses.length, most)) / most;
    values.set(draw(guesses, asked, seed, i), i * perRow);
  }
  return { perRow, values, hide, shrink };
}

const MOST_ROWS = 20_000;
const MOST_GUESSES = 65_536;

/** The cells of row i whose entries are known. */
function knownCells(cells: readonly Cell[], rows: Rows, i: number): Cell[] {
  return cells.filter(({ first, columns }) => {
    for (let v = first; v < first + columns; v++) if (Number.isNaN(entry(rows, i, v))) return false;
    return true;
  });
}

/** The most known cells of any row, and at least 1. */
function mostOf(cells: readonly Cell[], rows: Rows): number {
  let most = 1;
  for (let i = 0; i < rows.n; i++) most = Math.max(most, knownCells(cells, rows, i).length);
  return most;
}

/** The probability of the guess at a hidden cell of row i, negated if it is wrong. */
function guessOf(cell: Cell, hidden: Rows, shares: Float32Array, i: number): number {
  const at = i * hidden.V;
  const sure = Math.fround(sureOf(cell, shares, at));
  for (let v = cell.first; v < cell.first + cell.columns; v++) {
    const isGuessed =
      cell.columns === 1 ? shares[at + v] >= 0 : (1 + shares[at + v]) / 2 === sureOf(cell, shares, at);
    if (isGuessed !== entry(hidden, i, v) > 0) return -sure;
  }
  return sure;
}

/**
 * So many of the guesses, drawn without replacement from the row's own random numbers. A broken number is
 * rounded at random, to itself on average.
 */
function draw(guesses: number[], asked: number, seed: number, i: number): number[] {
  const stream = rowStream(seed + 1, i);
  const count = Math.floor(asked) + (sampleUnit(asked % 1, stream) ? 1 : 0);
  for (let k = 0; k < count; k++) {
    const j = uniformInt(stream, k, guesses.length - 1);
    [guesses[k], guesses[j]] = [guesses[j], guesses[k]];
  }
  return guesses.slice(0, count);
}

import type { Where } from '../engine/scope.ts';
import type { Loss } from '../losses/loss.ts';
import { inTurns } from '../rows/breath.ts';
import { entriesOf } from '../rows/entries.ts';
import { hiding } from '../rows/hide.ts';
import { type RowsInput, readRows } from '../rows/input.ts';
import type { Rows } from '../rows/rows.ts';
import { baseRateLoss } from '../solvers/base-rates.ts';
import { checksFor } from '../training/checks.ts';
import { hiddenLoss } from '../training/neighbours/masked.ts';
import { completeRows } from './complete.ts';
import type { PCAE } from './model.ts';
import { shrinkFor } from './shrunk.ts';

export interface EvaluateHiddenOptions extends Where {
  /** The share of known entries that are hidden and guessed. Default 0.2. */
  readonly hide?: number;
  /** How far codes are pulled towards 0. Default: as `impute` does. */
  readonly shrink?: number;
  /** Fixes which entries are hidden. Default 1. */
  readonly seed?: number;
}

/**
 * How well missing entries are guessed, measured on known entries that were hidden. Losses are means over
 * entries, in the unit of the loss.
 */
export interface HiddenReport {
  /** How many entries were hidden. */
  readonly entries: number;
  readonly entryLoss: number;
  /** The same for guesses that know only how often each column is 1 in these rows. */
  readonly entryLossAtBaseRates: number;
  /** The share of hidden entries whose more likely value is wrong. */
  readonly wrong: number;
  readonly shrink: number;
}

/** Hides known entries of rows, fills them in as `impute` would, and compares. */
export async function evaluateHidden(
  model: PCAE,
  rows: RowsInput,
  options: EvaluateHiddenOptions = {},
): Promise<HiddenReport> {
  const { hide = 0.2, seed = 1, engine, signal } = options;
  checksFor('evaluateHidden').share('hide', hide);
  const checked = await readRows(rows, 'rows', model.schema, signal);
  const { shown, hidden } = await inTurns(hiding(checked, hide, seed, model.groups), signal);
  // The strength is chosen by the visible entries alone.
  const { shrink } = await shrinkFor(model, shown, { shrink: options.shrink, engine, signal });
  const shares = await completeRows(model, shown, { engine, signal, shrink });
  const { reconstructionLoss: loss } = model;
  return {
    ...compareHidden(hidden, shares, loss),
    entryLossAtBaseRates: atBaseRates(checked, hidden, loss),
    shrink,
  };
}

/** Reconstructions (n x V, in [-1, 1]) beside the entries that were hidden. */
export function compareHidden(
  hidden: Rows,
  shares: Float32Array,
  loss: Loss,
): Pick<HiddenReport, 'entries' | 'entryLoss' | 'wrong'> {
  const values = entriesOf(hidden);
  let [entries, wrong] = [0, 0];
  for (let k = 0; k < values.length; k++) {
    if (Number.isNaN(values[k])) continue;
    entries++;
    wrong += 0.5 * (1 - values[k] * (shares[k] < 0 ? -1 : 1));
  }
  const entryLoss = hiddenLoss({ n: hidden.n, V: hidden.V, hidden: values }, shares, loss);
  return { entries, entryLoss, wrong: wrong / entries };
}

function atBaseRates(rows: Rows, hidden: Rows, loss: Loss): number {
  const entries = entriesOf(hidden).reduce((count, x) => (Number.isNaN(x) ? count : count + 1), 0);
  return baseRateLoss({ rows }, { rows: hidden }, loss, { among: true }) / entries;
}

import { type RowsInput, readRows } from '../rows/input.ts';
import { split } from '../rows/split.ts';
import { checkedRowWeights } from '../rows/weights.ts';
import { checksFor } from '../training/checks.ts';
import type { FitOptions } from '../training/options.ts';
import type { LossReport } from './autoencoder.ts';
import { fit } from './fit.ts';
import type { PCAE } from './model.ts';
import { shareOfZeros } from './sparsity.ts';

export interface PathOptions
  extends Omit<FitOptions, 'l1' | 'validation' | 'noise' | 'checkpoint' | 'resume' | 'partial'> {
  /** The relaxations eps to try, in order from the smallest to the largest. */
  readonly l1s: readonly number[];
  /** Rows to measure on: a share of the rows, or rows. Default 0.1. */
  readonly heldOut?: number | RowsInput;
}

/** A model on the path; losses are means per row. */
export interface PathStep {
  readonly l1: number;
  readonly model: PCAE;
  readonly trainingLoss: number;
  /** Loss of the held-out rows, each at its own certified code. */
  readonly heldOutLoss: number;
  /** The share of weights that are exactly zero. */
  readonly zeros: number;
  /** The worst case over all data whose correlations are within l1 of those measured (App. C.1). */
  readonly bound: number;
  /** Certified gaps of the codes of held-out rows. */
  readonly gap: LossReport['gap'];
}

/**
 * Models for a series of relaxations eps, each started from the one before. The order is from dense to
 * sparse: a unit whose weights are all zero has no code any more, and would not come back on the way from
 * sparse to dense. Steps are in order of rising eps.
 */
export async function l1Path(input: RowsInput, options: PathOptions): Promise<PathStep[]> {
  if (!options)
    throw new RangeError('l1Path: say what to go through, as in l1Path(rows, { H: 8, l1s: [0, 0.01] })');
  const { l1s, heldOut = 0.1, ...rest } = options;
  if (!l1s?.length) throw new RangeError('l1Path: l1s must hold at least one number');
  checksFor('l1Path').absent(options, ['l1', 'noise', 'checkpoint', 'resume', 'partial']);
  const rows = await readRows(input, 'rows', undefined, options.signal);
  const rowWeights = options.rowWeights && checkedRowWeights(options.rowWeights, rows.n, 'l1Path');
  const other =
    typeof heldOut === 'number' ? heldOut : await readRows(heldOut, 'heldOut', rows.schema, options.signal);
  const { training, held } = split({ rows, rowWeights }, other, options.seed ?? 1);
  const steps: PathStep[] = [];
  let before: PCAE | undefined;
  for (const l1 of [...l1s].sort((a, b) => a - b)) {
    // Continuing from the previous weights needs a quarter of the epochs.
    const epochs = Math.ceil((steps[0]?.model.training.epochs ?? 0) / 4);
    const warm = before && { start: before.W, epochs };
    const model = await fit(training.rows, { ...rest, ...warm, l1, rowWeights: training.rowWeights });
    before = model;
    const { loss, gap } = await model.evaluate(held.rows, {
      rowWeights: held.rowWeights,
      engine: rest.engine,
      signal: rest.signal,
    });
    steps.push({
      l1,
      model,
      trainingLoss: model.training.loss,
      heldOutLoss: loss,
      gap,
      zeros: shareOfZeros(model.W),
      bound: model.guarantee(l1).bound,
    });
  }
  return steps;
}

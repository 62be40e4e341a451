import { encodingOf } from '../encodings/by-name.ts';
import { binomialTail } from '../promises/binomial.ts';
import { calibrate as calibrationOf, refuseNegative } from '../promises/calibration.ts';
import { roundWeights, STEPS } from '../promises/occam.ts';
import { type RowsInput, readSource } from '../rows/input.ts';
import { collect } from '../rows/memory.ts';
import { compareSeen } from '../rows/seen.ts';
import type { RowSource } from '../rows/source.ts';
import type { EncodeOptions } from './autoencoder.ts';
import { guessHidden } from './guesses.ts';
import { PCAE } from './model.ts';
import { rowOdds } from './row-odds.ts';

export interface CalibrateOptions extends EncodeOptions {
  /**
   * Calibrate on the training rows, when there are no others. The model then makes fewer and weaker promises,
   * because they have to pay for the description of its weights, which are rounded to make it short. Default
   * false: training rows are refused when they are recognised.
   */
  readonly learned?: boolean;
  /**
   * The share of known entries that are hidden and guessed, for promises about what `impute` fills in.
   * Default 0.1; 0 for none.
   */
  readonly hide?: number;
}

/**
 * Calibrates a model on rows that took no part in learning. From their losses, the new model can promise what
 * other rows from the same source will cost (`model.promise`). Every row is encoded twice: complete, and with
 * some entries hidden.
 */
export async function calibrate(model: PCAE, rows: RowsInput, options: CalibrateOptions = {}): Promise<PCAE> {
  const { seed = 1, hide = 0.1, learned = false } = options;
  if (!(model instanceof PCAE))
    throw new TypeError(
      'calibrate: only models of one layer make promises. For a stack, evaluate it on rows that it was not learned from, or calibrate a model of one layer',
    );
  if (!(hide >= 0 && hide < 1))
    throw new RangeError(`calibrate: hide must be a share of at least 0 and less than 1, got ${hide}`);
  refuseNegative(model);
  const source = await readSource(rows, model.schema, options.signal);
  if (learned) return calibrateLearned(model, source, options);
  await refuseLearned(model, source);
  const { onProgress } = options;
  const measured = await measure(model, source, {
    ...options,
    onProgress: onProgress && ((fraction) => onProgress(fraction / 2)),
  });
  const guesses =
    hide > 0 && source.n > 1
      ? await guessHidden(model, await collect(source), { ...options, onProgress: undefined, hide, seed })
      : undefined;
  onProgress?.(1);
  return new PCAE({
    ...model,
    calibration: calibrationOf(measured.losses, model, { ...measured, seed, guesses }),
  });
}

/** The loss of each row, and its loss if every entry were guessed at even odds. */
interface Measured {
  readonly losses: Float64Array;
  readonly evenOdds: Float64Array;
  /** The largest proven gap of a code. */
  readonly gap: number;
}

async function measure(model: PCAE, source: RowSource, options: CalibrateOptions): Promise<Measured> {
  const losses = new Float64Array(source.n);
  const evenOdds = new Float64Array(source.n);
  let [n, gap] = [0, 0];
  for await (const part of model.encodeSource(source, { ...options, escape: false })) {
    losses.set(part.losses, n);
    gap = part.gaps.reduce((most, one) => Math.max(most, one), gap);
    evenOdds.set(rowOdds(model, part.rows), n);
    n += part.n;
    options.onProgress?.(n / source.n);
  }
  return { losses, evenOdds, gap };
}

/**
 * The share of the first rows that the model was learned from; undefined if none is recognised. Some new rows
 * equal training rows by chance, about as often as training rows equal one another; `CHANCE` is the excess
 * that is still accepted. The rows are only read.
 */
export async function learnedShare(
  { training: { seen } }: PCAE,
  source: RowSource,
  rowsAtMost = Number.POSITIVE_INFINITY,
): Promise<number | undefined> {
  if (!seen) return undefined;
  let [read, compared, found] = [0, 0, 0];
  for await (const rows of source.chunks(READ_ROWS)) {
    const overlap = compareSeen(seen, rows);
    compared += overlap.compared;
    found += overlap.found;
    read += rows.n;
    if (read >= rowsAtMost) break;
  }
  const expected = Math.min(1, seen.repeated + CHANCE);
  return found === 0 || binomialTail(compared, expected, found) > 1e-9 ? undefined : found / compared;
}

/** Refuses training rows: they cost less than new ones, so that promises made from them would be broken. */
async function refuseLearned(model: PCAE, source: RowSource): Promise<void> {
  const learned = await learnedShare(model, source);
  if (learned === undefined) return;
  const share = `${Math.round(100 * learned)}%`;
  throw new RangeError(
    `calibrate: about ${share} of these rows are among those that the model was learned from, so what they cost says little about new rows; calibrate with other rows, or say that they were learned from (learned: true; on the command line --learned)`,
  );
}

/** How far the share of rows seen in training may exceed the share of repeats among the training rows. */
const CHANCE = 0.05;
/** Rows read at a time for this comparison. */
const READ_ROWS = 8192;

/**
 * The model with rounded weights, calibrated on its training rows. Coarser weights take fewer nats to
 * describe but raise the loss; the rounding step is the one with the smallest promised mean.
 */
async function calibrateLearned(model: PCAE, source: RowSource, options: CalibrateOptions): Promise<PCAE> {
  if (encodingOf(model.encoding).discrete)
    throw new RangeError('calibrate: learned needs codes that are proven optimal, and codes of bits are not');
  const { seed = 1, tolerance = 0.01 } = options;
  const attempt = async (k: number): Promise<PCAE> => {
    const { W, nats } = roundWeights(model.W, model.W.length / model.V, model.radius, STEPS[k]);
    const rounded = new PCAE({ ...model, W });
    const measured = await measure(rounded, source, { ...options, onProgress: undefined });
    // A code that cannot be proven to the tolerance says how close codes of new rows may be expected to be.
    const described = { nats, gap: Math.max(tolerance, measured.gap) };
    return new PCAE({
      ...rounded,
      calibration: calibrationOf(measured.losses, rounded, { ...measured, seed, described }),
    });
  };
  const meanOf = (found: PCAE) => found.promise({ of: 'mean' }).bound;
  // Starts at about a percent of a typical weight and goes to coarser steps while that pays, or else to finer
  // ones.
  const typical = Math.sqrt(model.W.reduce((sum, w) => sum + w * w, 0) / model.W.length);
  const first = STEPS.findIndex((step) => step <= 0.01 * typical);
  let at = first < 0 ? STEPS.length - 1 : first;
  let best = await attempt(at);
  for (const direction of [-1, 1]) {
    const before = best;
    for (let k = at + direction; k >= 0 && k < STEPS.length; k += direction) {
      const next = await attempt(k);
      if (meanOf(next) >= meanOf(best)) break;
      best = next;
      at = k;
    }
    if (best !== before) break;
  }
  options.onProgress?.(1);
  return best;
}

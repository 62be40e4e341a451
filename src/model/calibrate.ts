import { encodingOf } from '../encodings/by-name.ts';
import { binomialTail } from '../promises/binomial.ts';
import { calibrate as calibrationOf } from '../promises/calibration.ts';
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
   * The rows are those that were learned from, because there are no others. The model then makes fewer and
   * weaker promises, which pay for the description of its weights; the weights are rounded for this. Default
   * false: rows that took part in learning are refused if they are recognised.
   */
  readonly learned?: boolean;
  /**
   * The share of known entries that are hidden and guessed, for promises about what `impute` fills in.
   * Default 0.1; 0 for none.
   */
  readonly hide?: number;
}

/**
 * Calibrates a model with rows that took no part in learning. From their losses, the new model can promise
 * what other rows from the same source cost (`model.promise`). Every row is encoded once, and once more
 * without its hidden entries.
 */
export async function calibrate(model: PCAE, rows: RowsInput, options: CalibrateOptions = {}): Promise<PCAE> {
  const { seed = 1, hide = 0.1, learned = false } = options;
  if (!(model instanceof PCAE))
    throw new TypeError(
      'calibrate: only models of one layer make promises. For a stack, evaluate it on rows that it was not learned from, or calibrate a model of one layer',
    );
  if (!(hide >= 0 && hide < 1))
    throw new RangeError(`calibrate: hide must be a share of at least 0 and less than 1, got ${hide}`);
  const source = await readSource(rows, 'rows', model.schema, options.signal);
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

/** What rows cost, and at even odds. */
interface Measured {
  readonly losses: Float64Array;
  readonly evenOdds: Float64Array;
}

async function measure(model: PCAE, source: RowSource, options: CalibrateOptions): Promise<Measured> {
  const losses = new Float64Array(source.n);
  const evenOdds = new Float64Array(source.n);
  let n = 0;
  for await (const part of model.encodeSource(source, { ...options, escape: false })) {
    losses.set(part.losses, n);
    evenOdds.set(rowOdds(model, part.rows), n);
    n += part.n;
    options.onProgress?.(n / source.n);
  }
  return { losses, evenOdds };
}

/**
 * Rows that learning saw cost less than others: promises by them would be broken. Some rows may be equal to
 * learned ones by chance, as many as the learned ones are to one another; that more of them are, by so much,
 * is no chance. It is said before any row is encoded: reading the rows is enough.
 */
async function refuseLearned({ training: { seen } }: PCAE, source: RowSource): Promise<void> {
  if (!seen) return;
  let [compared, found] = [0, 0];
  for await (const rows of source.chunks(READ_ROWS)) {
    const overlap = compareSeen(seen, rows);
    compared += overlap.compared;
    found += overlap.found;
  }
  const expected = Math.min(1, seen.repeated + CHANCE);
  if (found === 0 || binomialTail(compared, expected, found) > 1e-9) return;
  const share = `${Math.round((100 * found) / compared)}%`;
  throw new RangeError(
    `calibrate: about ${share} of these rows are among those that the model was learned from, so what they cost says little about new rows; calibrate with other rows, or say that they were learned from (learned: true; on the command line --learned)`,
  );
}

/** More rows than the learned ones repeat each other by may be alike by so much. */
const CHANCE = 0.05;
/** Rows that are read at once to be compared. */
const READ_ROWS = 8192;

/**
 * The model with its weights rounded, and promises by the rows that were learned from: to the step for which
 * the promised mean is smallest. Coarser weights are described in fewer nats and cost more.
 */
async function calibrateLearned(model: PCAE, source: RowSource, options: CalibrateOptions): Promise<PCAE> {
  if (encodingOf(model.encoding).discrete)
    throw new RangeError('calibrate: learned needs codes that are proven optimal, and codes of bits are not');
  const { seed = 1, tolerance: gap = 0.01 } = options;
  const attempt = async (k: number): Promise<PCAE> => {
    const { W, nats } = roundWeights(model.W, model.W.length / model.V, model.radius, STEPS[k]);
    const rounded = new PCAE({ ...model, W });
    const measured = await measure(rounded, source, { ...options, onProgress: undefined });
    const described = { nats, gap };
    return new PCAE({
      ...rounded,
      calibration: calibrationOf(measured.losses, rounded, { ...measured, seed, described }),
    });
  };
  const meanOf = (found: PCAE) => found.promise({ of: 'mean' }).bound;
  // From steps of about a percent of a typical weight: to coarser ones as long as that pays, or else to finer
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
      [best, at] = [next, k];
    }
    if (best !== before) break;
  }
  options.onProgress?.(1);
  return best;
}

import { encodingOf } from '../encodings/by-name.ts';
import { binomialTail } from '../promises/binomial.ts';
import { type Calibration, calibrate as calibrationOf } from '../promises/calibration.ts';
import { meanBound } from '../promises/mean.ts';
import { type Described, descriptions, shifted } from '../promises/occam.ts';
import { asSource, type RowsInput } from '../rows/input.ts';
import { collect } from '../rows/memory.ts';
import { compareSeen } from '../rows/seen.ts';
import { guessHidden } from './guesses.ts';
import { type EncodeOptions, PCAE } from './model.ts';
import { rowOdds } from './row-odds.ts';

export interface CalibrateOptions extends EncodeOptions {
  /**
   * The rows are those that were learned from, for want of others. Fewer promises can be made, and larger ones: they pay for
   * the description of the weights. Default false: rows that took part in learning are refused where they are recognised.
   */
  readonly learned?: boolean;
  /** The share of known entries that are hidden and guessed, for promises of what `impute` fills in. Default 0.1; 0: none. */
  readonly hide?: number;
}

/**
 * The model with a calibration: what rows cost that took no part in learning it, by which it can promise what new rows of
 * their source cost (`model.promise`). Every row is encoded once, and once more without its hidden entries.
 */
export async function calibrate(model: PCAE, rows: RowsInput, options: CalibrateOptions = {}): Promise<PCAE> {
  const { seed = 1, hide = 0.1, learned = false } = options;
  if (!(hide >= 0 && hide < 1))
    throw new RangeError(`calibrate: hide must be a share of at least 0 and less than 1, got ${hide}`);
  if (learned) checkCanDescribe(model);
  const source = asSource(rows, 'rows', model.schema);
  const losses = new Float64Array(source.n);
  const odds = new Float64Array(source.n);
  let [n, compared, found] = [0, 0, 0];
  for await (const part of model.encodeSource(source, { ...options, escape: false })) {
    losses.set(part.losses, n);
    odds.set(rowOdds(model, part.rows), n);
    if (model.training.seen) {
      const overlap = compareSeen(model.training.seen, part.rows);
      compared += overlap.compared;
      found += overlap.found;
    }
    n += part.n;
    options.onProgress?.((0.5 * n) / source.n);
  }
  if (!learned) refuseLearned(model, compared, found);
  const guesses =
    hide > 0 && !learned && n > 1
      ? await guessHidden(model, await collect(source), { ...options, onProgress: undefined, hide, seed })
      : undefined;
  options.onProgress?.(1);
  const calibration = calibrationOf(losses, model, { seed, evenOdds: odds, guesses });
  return new PCAE({
    ...model,
    calibration: learned ? { ...calibration, described: describe(model, calibration, options) } : calibration,
  });
}

/**
 * Rows that learning saw cost less than others: promises by them would be broken. Some rows may be equal to learned ones
 * by chance, as many as the learned ones are to one another; that more of them are, by so much, is no chance.
 */
function refuseLearned({ training }: PCAE, compared: number, found: number): void {
  const expected = Math.min(1, (training.seen?.repeated ?? 0) + 0.02);
  if (found === 0 || binomialTail(compared, expected, found) > 1e-6) return;
  const share = `${Math.round((100 * found) / compared)}%`;
  throw new RangeError(
    `calibrate: about ${share} of these rows are among those that the model was learned from, so what they cost says little of new rows; calibrate with other rows, or say that they were learned from (learned: true)`,
  );
}

function checkCanDescribe({ encoding }: PCAE): void {
  if (encodingOf(encoding).discrete)
    throw new RangeError('calibrate: learned needs codes that are proven optimal, and codes of bits are not');
}

/** The description of the weights by which the mean loss is promised best. */
function describe(model: PCAE, { losses, ceiling }: Calibration, options: CalibrateOptions): Described {
  const { W, V, radius, columnWeights } = model;
  const gap = options.tolerance ?? 0.01;
  const found = descriptions({ W, width: W.length / V, radius, gap, columnWeights });
  const bounds = found.map(
    ({ nats, shift }) => meanBound(shifted(losses, shift, ceiling), ceiling, nats + Math.log(100)) + shift,
  );
  return found[bounds.indexOf(Math.min(...bounds))];
}

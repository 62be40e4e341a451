import { ceilingOf, type Decoding, evenOdds, withEscape } from './ceiling.ts';
import type { Guesses } from './filled.ts';
import type { Described } from './occam.ts';

/**
 * What a model keeps of calibration rows, which learning never saw: enough for every promise about new rows.
 */
export interface Calibration {
  readonly n: number;
  /** The losses of the rows with the escape, rounded up and in ascending order. */
  readonly losses: Float32Array;
  /** The largest loss that any row can have with the escape. */
  readonly ceiling: number;
  /** Fixes the split of the rows for promises that need one. */
  readonly seed: number;
  /** Guesses at hidden entries of some of these rows. */
  readonly guesses?: Guesses;
  /** Set if the rows are the training rows: how few nats describe the weights. */
  readonly described?: Described;
}

interface CalibrateOptions extends Pick<Calibration, 'guesses' | 'described'> {
  readonly seed?: number;
  /** The loss of each row at even odds, needed if entries are missing. */
  readonly evenOdds?: ArrayLike<number>;
}

/** Makes a calibration from the losses of the rows. */
export function calibrate(
  losses: ArrayLike<number>,
  decoding: Decoding,
  options: CalibrateOptions = {},
): Calibration {
  const { seed = 1, guesses, described } = options;
  const n = losses.length;
  if (n === 0) throw new RangeError('calibrate: there are no rows to calibrate with');
  const ceiling = ceilingOf(decoding);
  const odds = evenOdds(decoding);
  const rounded = Float32Array.from({ length: n }, (_, i) => {
    if (!(losses[i] >= -ROUNDING * odds))
      throw new RangeError(`calibrate: the loss of row ${i} is ${losses[i]}`);
    return roundUp(withEscape(Math.max(0, losses[i]), options.evenOdds?.[i] ?? odds, decoding));
  });
  return { n, losses: rounded.sort(), ceiling, seed, guesses, described };
}

/** How far below 0 the float32 loss of a row may be that costs nothing, as a share of even odds. */
const ROUNDING = 1e-5;

/** Refuses losses that can be negative: all promises are proven for losses from 0 to a ceiling. */
export function refuseNegative({ reconstructionLoss: loss }: Decoding): void {
  const least = Math.min(loss.plus(1), loss.minus(-1));
  if (least >= -0.5 * ROUNDING * loss.psi(0)) return;
  throw new RangeError(
    `calibrate: with the loss "${loss.name}" an entry can cost ${least}, and promises are proven only for losses that are never negative; make one that adds ${-least} to both plus and minus, which leads to the same weights and codes`,
  );
}

/** What is wrong with a calibration from outside, such as a file, if anything. */
export function faultOf({ n, losses, ceiling, guesses }: Calibration): string | undefined {
  if (losses.length !== n || n === 0) return `has ${losses.length} losses for ${n} rows`;
  for (let i = 0; i < n; i++) {
    if (!(losses[i] >= 0 && losses[i] <= roundUp(ceiling))) return `has a loss of ${losses[i]}`;
    if (i > 0 && losses[i] < losses[i - 1]) return 'has losses that do not rise';
  }
  if (guesses && guesses.values.length % guesses.perRow !== 0) {
    return `has ${guesses.values.length} guesses, ${guesses.perRow} to a row`;
  }
  return undefined;
}

/** The smallest float32 that is not below x, for x >= 0. */
export function roundUp(x: number): number {
  const nearest = Math.fround(x);
  if (nearest >= x) return nearest;
  bits[0] = nearest;
  asInteger[0]++;
  return bits[0];
}

const bits = new Float32Array(1);
const asInteger = new Int32Array(bits.buffer);

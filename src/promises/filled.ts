import { isBelow } from './mean.ts';

/**
 * Guesses at hidden known entries of calibration rows. Each is the probability that the model gave to its
 * guess, at least 1/2, negated if the guess was wrong; 0 fills up rows with fewer guesses than others. A row
 * has guesses in proportion to the entries that were hidden in it.
 */
export interface Guesses {
  readonly perRow: number;
  readonly values: Float32Array;
  /** The share of known entries that were hidden. */
  readonly hide: number;
  /** How far codes were pulled towards 0 for these guesses. */
  readonly shrink: number;
}

/** The rule by which entries are filled in, and its result on the calibration rows. */
export interface Filling {
  /** An entry is filled in if its guess has at least this probability. More than 1: none may be filled in. */
  readonly threshold: number;
  /** The share of the hidden entries of the calibration rows that are filled. */
  readonly filled: number;
  /** The share of those that were wrong. */
  readonly wrong: number;
}

/**
 * The smallest threshold at which, with enough confidence, at most a share `wrong` of the filled entries is
 * wrong: learn, then test (Angelopoulos, Bates, Candes, Jordan and Lei 2021). The share of wrong entries
 * among the filled ones is at most `wrong` where the mean over rows of
 *
 *     (wrong entries - `wrong` x filled entries) / the most entries of any row
 *
 * is not above 0; the mean is over rows because rows are independent, while the entries of a row are not.
 * All rows are divided by the same number, so that those with many missing entries count as much as they do
 * in the share. Thresholds are tested downwards from a few starts, from each until the first failure. All
 * tests passed before it hold together, because a fixed order of tests can only go wrong at its first error.
 * Nothing needs to be monotone.
 */
export function fillThreshold(
  guesses: Pick<Guesses, 'perRow' | 'values'>,
  wrong: number,
  evidence: number,
): Filling {
  const passes = (level: number) =>
    isBelow(wrong, excess(guesses, thresholdOf(level), wrong), 1, evidence + Math.log(STARTS));
  let lowest = LEVELS;
  // If a start passes at all, later starts fail at the same threshold as it does.
  for (let start = 1; start <= STARTS && lowest === LEVELS; start++) {
    const first = Math.round((start * LEVELS) / STARTS) - 1;
    for (let level = first; level >= 0 && passes(level); level--) lowest = level;
  }
  const threshold = lowest === LEVELS ? NOTHING : thresholdOf(lowest);
  return { threshold, ...sharesAt(guesses, threshold) };
}

/** Log-odds of 0 to 12 in steps of 1/16, tested from this many starts. */
const STEPS = 16;
const LEVELS = 12 * STEPS + 1;
const STARTS = 7;
const NOTHING = 2;

function thresholdOf(level: number): number {
  return Math.fround(1 / (1 + Math.exp(-level / STEPS)));
}

/**
 * For each row, the sum of (wrong - alpha) over its filled entries, a share of perRow, plus alpha: in [0, 1].
 */
function excess(
  { perRow, values }: Pick<Guesses, 'perRow' | 'values'>,
  threshold: number,
  alpha: number,
): Float64Array {
  return Float64Array.from({ length: values.length / perRow }, (_, i) => {
    let total = 0;
    for (let k = i * perRow; k < (i + 1) * perRow; k++) {
      if (Math.abs(values[k]) >= threshold) total += (values[k] < 0 ? 1 : 0) - alpha;
    }
    return alpha + total / perRow;
  });
}

function sharesAt({ values }: Pick<Guesses, 'values'>, threshold: number): { filled: number; wrong: number } {
  let [known, filled, wrong] = [0, 0, 0];
  for (const value of values) {
    if (value === 0) continue;
    known++;
    if (Math.abs(value) < threshold) continue;
    filled++;
    if (value < 0) wrong++;
  }
  return { filled: known && filled / known, wrong: filled && wrong / filled };
}

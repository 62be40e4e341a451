import { sum } from '../rows/sum.ts';

/**
 * An upper bound on the mean of a source of numbers in [0, ceiling], from n draws of it: betting against
 * every smaller mean (Waudby-Smith and Ramdas 2024).
 *
 * If the mean, as a share of the ceiling, were m or more, then (1 - x) / (1 - m) would be 1 or less in the
 * mean. So a gambler who keeps a share 1 - c in cash and stakes c on that ratio, row after row, cannot expect
 * to end with more than the initial capital 1. By Markov's inequality the final capital is 1/delta or more
 * with a probability of at most delta. The bound is the smallest m at which it is. Each stake c is a
 * constant, and the capital is the mean over a few stakes, so that
 *
 * - the order of the rows does not matter, nor does a seed: a file that was sorted or drifts bounds the same
 *   mean;
 * - the bound also holds for rows drawn without replacement, as the held-out part of a table is (Maclaurin's
 *   inequality: the mean product of distinct numbers is at most the power of their mean).
 *
 * `evidence` is ln(1/delta), the nats by which the capital has to grow.
 */
export function meanBound(values: ArrayLike<number>, ceiling: number, evidence: number): number {
  if (values.length === 0 || !(ceiling > 0)) return ceiling;
  const rest = restOf(values, ceiling);
  // The logarithm of the capital rises with -ln(1 - m), and is convex in it.
  const missing = (u: number) => capital(rest, Math.exp(-u), evidence) - evidence;
  const least = -Math.log(sum(rest) / rest.length);
  const u = firstZero(missing, least);
  return u === undefined ? ceiling : Math.min(1, -Math.expm1(-u)) * ceiling;
}

/** Whether the draws prove, with this much evidence, that the mean of their source is below `mean`. */
export function isBelow(mean: number, values: ArrayLike<number>, ceiling: number, evidence: number): boolean {
  return capital(restOf(values, ceiling), 1 - mean / ceiling, evidence) >= evidence;
}

/** The distance of each value from the ceiling, as a share of it: the ratio's numerator. */
function restOf(values: ArrayLike<number>, ceiling: number): Float64Array {
  return Float64Array.from({ length: values.length }, (_, i) => Math.max(0, 1 - values[i] / ceiling));
}

/**
 * The point to the right of `low` where a rising function passes 0, rounded upwards; undefined if there is
 * none in a sensible range.
 */
function firstZero(f: (u: number) => number, low: number): number | undefined {
  let [a, below] = [low, f(low)];
  let [b, above] = [low + FIRST_STEP, f(low + FIRST_STEP)];
  while (above < 0) {
    if (b > CERTAIN) return undefined;
    [a, below, b] = [b, above, b + 2 * (b - low)];
    above = f(b);
  }
  // False position; the value at an end that stays is halved, so that this end moves next (Illinois).
  while (b - a > PRECISION * Math.min(1, b)) {
    const middle = a + (b - a) * Math.min(0.99, Math.max(0.01, below / (below - above)));
    const value = f(middle);
    if (value >= 0) [b, above, below] = [middle, value, below / 2];
    else [a, below, above] = [middle, value, above / 2];
  }
  return b;
}

const FIRST_STEP = 1e-3;
/** 1 - e^-40 is 1. */
const CERTAIN = 40;
/** The bound is found to this share, on the safe side. */
const PRECISION = 1e-9;
/** The error of the logarithm of a product in float64, per factor. */
const ROUNDING = 1e-15;

/** ln of the final capital, the mean over all stakes, if the distances from the ceiling have this mean. */
function capital(rest: Float64Array, mean: number, evidence: number): number {
  const ends = stakes(rest.length, evidence).map((stake) => growth(rest, mean, stake));
  const most = Math.max(...ends);
  if (most === Number.NEGATIVE_INFINITY) return most;
  const share = sum(ends.map((end) => Math.exp(end - most))) / ends.length;
  return most + Math.log(share) - ROUNDING * rest.length;
}

/**
 * The stakes: 1, 1/2, 1/4, ... down to the best one for the largest possible variance, 1/4: the best stake
 * for a variance s^2 is near sqrt(2 evidence / n) / s, and one within a factor sqrt(2) of it has 83% of its
 * growth.
 */
function stakes(n: number, evidence: number): number[] {
  const halvings = Math.max(1, Math.ceil(Math.log2(n / (8 * evidence)) / 2) + 1);
  return Array.from({ length: halvings + 1 }, (_, k) => 2 ** -k);
}

/** sum_i ln(1 - stake + stake rest_i / mean), eight factors to a logarithm. */
function growth(rest: Float64Array, mean: number, stake: number): number {
  const [cash, ratio] = [1 - stake, stake / mean];
  let total = 0;
  for (let i = 0; i < rest.length; i += 8) {
    const end = Math.min(i + 8, rest.length);
    let product = 1;
    for (let k = i; k < end; k++) product *= cash + ratio * rest[k];
    total += Math.log(product);
  }
  return total;
}

import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { binomialTail } from '../../src/promises/binomial.ts';

/**
 * Sources of losses of which everything is known: a list of values, each as likely. A promise is kept or
 * broken for certain, and the share of broken promises over many calibrations can be counted.
 */
export type Source = Float64Array;

export const CEILING = 50;
const ATOMS = 5000;

/** A source by its quantile function, cut off at the ceiling. */
const fromQuantiles = (q: (u: number) => number): Source =>
  Float64Array.from({ length: ATOMS }, (_, i) => Math.min(CEILING, q((i + 0.5) / ATOMS)));

export const sources: Readonly<Record<string, Source>> = {
  'light tails': fromQuantiles((u) => 12 - 3 * Math.log(1 / u - 1) * 0.5),
  'heavy tails': fromQuantiles((u) => 2 * (1 - u) ** (-1 / 1.1)),
  'seldom the ceiling': fromQuantiles((u) => (u > 0.995 ? CEILING : 1)),
  'even odds of nothing and the ceiling': fromQuantiles((u) => (u > 0.5 ? CEILING : 0)),
  ties: fromQuantiles((u) => (u < 0.6 ? 3 : u < 0.95 ? 4 : 9)),
  constant: fromQuantiles(() => 7),
  nothing: fromQuantiles(() => 0),
  'always the ceiling': fromQuantiles(() => CEILING),
};

/** Numbers in [0, 1), the same for a seed. */
export function uniforms(seed: number): () => number {
  const stream = xoroshiro128plus(seed);
  return () => (stream.next() >>> 0) / 2 ** 32;
}

/** n rows of the source, sorted as a calibration has them. */
export function draw(source: Source, n: number, random: () => number): Float64Array {
  return unsorted(source, n, random).sort();
}

export function unsorted(source: Source, n: number, random: () => number): Float64Array {
  return Float64Array.from({ length: n }, () => source[Math.floor(random() * source.length)]);
}

/** How many of many calibrations break a promise. */
export function broken(times: number, seed: number, breaks: (random: () => number) => boolean): number {
  const random = uniforms(seed);
  let count = 0;
  for (let i = 0; i < times; i++) if (breaks(random)) count++;
  return count;
}

/**
 * The most broken promises among `times` that a true share of `allowed` may give: more happen with a chance
 * of one in a million. Fifty such checks with seeds that nobody chose for their results err once in 20,000
 * runs of the suite.
 */
export function mostBroken(times: number, allowed: number): number {
  // Calibrations that are all alike keep their promise always or never.
  if (times === 1) return 0;
  let most = Math.floor(times * allowed);
  while (binomialTail(times, allowed, most + 1) > 1e-6) most++;
  return most;
}

export const meanOf = (values: ArrayLike<number>): number =>
  Array.from(values).reduce((sum, value) => sum + value, 0) / values.length;

/** The share of the source that is at most this: its values rise. */
export function shareAtMost(source: Source, bound: number): number {
  let [low, high] = [0, source.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (source[middle] <= bound) low = middle + 1;
    else high = middle;
  }
  return low / source.length;
}

/** Every source with few rows and with some, each once with a large allowance and once with a small one. */
export const cases = Object.keys(sources).flatMap((name) =>
  [
    [20, 0.1],
    [20, 0.01],
    [200, 0.05],
  ].map(([n, delta]) => [name, n, delta] as const),
);

/** Enough calibrations to tell a share of 0.01 from one of 0.023; one where they are all alike. */
export const timesFor = (source: Source): number => (source[0] === source[source.length - 1] ? 1 : 2000);

import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { mix } from '../../rows/mix.ts';

/** A stream of random numbers that belongs to one picture. */
export interface Stream {
  /** Uniform in [low, high). */
  between(low: number, high: number): number;
  /** Bell-shaped with mean 0 and standard deviation 1, never beyond 3.5: the sum of four uniform numbers. */
  bell(): number;
  /** A whole number in 0 .. count - 1. */
  below(count: number): number;
}

/**
 * The stream of picture `index` of a part of the set. Within one seed and part no two indices share a seed.
 */
export function openStream(seed: number, part: number, index: number): Stream {
  const generator = xoroshiro128plus(mix(index ^ mix(seed + Math.imul(part, 0x9e3779b9))));
  // The state starts out nearly all zeros or ones; a few draws mix it.
  for (let k = 0; k < 6; k++) generator.next();
  const uniform = () => (generator.next() >>> 0) / 2 ** 32;
  return {
    between: (low, high) => low + (high - low) * uniform(),
    bell: () => (uniform() + uniform() + uniform() + uniform() - 2) * BELL_SCALE,
    below: (count) => Math.floor(uniform() * count),
  };
}

/** Four uniform numbers have variance 4/12. */
const BELL_SCALE = Math.sqrt(3);

import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { GUMBELS, type SeekOptions } from '../engine/word-codes.ts';
import { HALF } from '../search/tables.ts';

/** The random numbers of annealing. */
export function draws(seed: number): Pick<SeekOptions, 'seed' | 'noise'> {
  const random = xoroshiro128plus(seed);
  const noise = Float32Array.from({ length: GUMBELS + HALF }, () => {
    const share = (uniformInt(random, 0, 2 ** 30) + 0.5) / (2 ** 30 + 1);
    return -Math.log(-Math.log(share));
  });
  return { seed, noise };
}

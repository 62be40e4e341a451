import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

/**
 * Vectors and their codes: each half byte of a code names one of 16 words, and the code stands for the sum of the words that
 * it names. What learning codes of vectors works on, in turns: codes for given words, words for given codes.
 */
export interface WordCodes {
  /**
   * Seeks better codes with these words (16 halves x V), from the present ones on: no vector's error grows. Gives the mean
   * squared error.
   */
  seek(words: Float32Array, options: SeekOptions): Promise<number>;
  /** The words whose sums come closest to the vectors, by least squares with `WORD_RIDGE`. */
  fit(): Promise<Float32Array>;
  /** Which word each half byte of each vector names: n x halves numbers from 0 to 15, at first all 0. */
  read(): Promise<Uint8Array>;
  write(chosen: Uint8Array): void;
  free(): void;
}

/** How hard codes are sought. */
export interface SeekOptions {
  /** Sweeps of annealing after the first descent, and how often that is tried. */
  readonly sweeps: number;
  readonly tries?: number;
  /** The temperature that annealing begins with. */
  readonly hot: number;
  /** Fixes the random numbers of annealing, which are the same for all vectors. */
  readonly seed: number;
  readonly signal?: AbortSignal;
}

/** Vectors that a word counts as if it had been chosen by, being 0: all 16 words of a half may move together otherwise. */
export const WORD_RIDGE = 1;

/** Numbers of the standard Gumbel distribution, for draws that begin at any of the first `GUMBELS` and take 16. */
export function gumbels(seed: number): Float32Array {
  const random = xoroshiro128plus(seed);
  const numbers = new Float32Array(GUMBELS + 16);
  for (let i = 0; i < numbers.length; i++) {
    numbers[i] = -Math.log(-Math.log((uniformInt(random, 0, 2 ** 30) + 0.5) / (2 ** 30 + 1)));
  }
  return numbers;
}

export const GUMBELS = 4096;

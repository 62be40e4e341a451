/**
 * Vectors and their codes: each half byte of a code names one of 16 words, and the code stands for the sum of
 * the words that it names. What learning codes of vectors works on, in turns: codes for given words, words
 * for given codes.
 */
export interface WordCodes {
  /**
   * Seeks better codes with these words (16 halves x V), from the present ones on: no vector's error grows.
   * Gives the mean squared error.
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
  /** Where the draws of annealing begin among the random numbers; the same for all vectors. */
  readonly seed: number;
  /**
   * Numbers of the standard Gumbel distribution: a draw begins at any of the first `GUMBELS` and takes 16.
   */
  readonly noise: Float32Array;
  readonly signal?: AbortSignal;
}

/** Zero vectors added to each word's own, because otherwise all 16 words of a half may move together. */
export const WORD_RIDGE = 1;

export const GUMBELS = 4096;

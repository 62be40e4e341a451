import { counted } from '../rows/counted.ts';

/**
 * What is found, query after query: numbers of codes, from 0, and their distances; the nearest first, and
 * among equally near ones the lower number first.
 */
export interface Found {
  readonly indices: Uint32Array;
  readonly distances: Uint32Array;
}

export interface Nearest extends Found {
  /** Results per query: what was asked for, or all codes where there are fewer. */
  readonly k: number;
}

export interface Within extends Found {
  /**
   * Where the results of each query start, and at last where they end: one number more than there are
   * queries.
   */
  readonly starts: Uint32Array;
}

/** A key of the kernels as a number: distance * 2^32 + index, exact up to distances of 2^21. */
export function keysAt(words: Uint32Array): Float64Array {
  const keys = new Float64Array(words.length / 2);
  for (let i = 0; i < keys.length; i++) keys[i] = words[2 * i + 1] * 2 ** 32 + words[2 * i];
  return keys;
}

/** Where the results of each query start, given how many each has, and at last where they end. */
export function startsOf(sizes: ArrayLike<number>): Uint32Array {
  const starts = new Uint32Array(sizes.length + 1);
  let sum = 0;
  for (let i = 0; i < sizes.length; i++) {
    sum += sizes[i];
    if (sum > MOST) {
      throw new RangeError(
        `search: queries up to number ${i + 1} find ${counted(sum, 'code')} together, at most ${MOST} can be returned; ` +
          `search with a smaller radius or fewer queries at a time`,
      );
    }
    starts[i + 1] = sum;
  }
  return starts;
}

/** The largest number that a place among the results can have. */
const MOST = 2 ** 32 - 1;

/** Keys, each query's in order, taken apart. */
export function takenApart(lists: readonly Float64Array[]): Found {
  const total = lists.reduce((sum, keys) => sum + keys.length, 0);
  const indices = new Uint32Array(total);
  const distances = new Uint32Array(total);
  let at = 0;
  for (const keys of lists) {
    for (const key of keys) {
      distances[at] = Math.floor(key / 2 ** 32);
      indices[at++] = key % 2 ** 32;
    }
  }
  return { indices, distances };
}

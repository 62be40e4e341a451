/** What every method that learns in minibatches shares: their order, the rate and running means. */
import type { Range } from '../engine/engine.ts';
import { permutation } from '../rows/split.ts';

/** Consecutive ranges of at most `size` rows that cover n, in a random order. */
export function minibatches(n: number, size: number, seed: number): Range[] {
  const count = Math.ceil(n / size);
  return Array.from(permutation(count, seed), (k) => ({
    start: Math.floor((k * n) / count),
    end: Math.floor(((k + 1) * n) / count),
  }));
}

/** Minibatches of a pass over n rows that come in blocks of `blockRows`. */
export function minibatchCount(n: number, blockRows: number, size: number): number {
  const whole = Math.floor(n / blockRows);
  return whole * Math.ceil(blockRows / size) + Math.ceil((n - whole * blockRows) / size);
}

/** Half a cosine wave from the full rate to `floor` times it. */
export function rateAt(rate: number, progress: number, floor = 0): number {
  const wave = 0.5 * (1 + Math.cos(Math.PI * Math.min(1, Math.max(0, progress))));
  return rate * (floor + (1 - floor) * wave);
}

/** The rate at a step (counted from 1), which grows while Adam finds out how large gradients are. */
export function warmedUp(rate: number, step: number): number {
  return rate * Math.min(1, step / WARM_UP);
}

/** The curvature Psi''/2 that is assumed before it is measured: that of a score of about 1.2. */
export const TYPICAL_CURVATURE = 0.1;

/** Steps of W until the rate has grown to its full size. */
const WARM_UP = 20;
/** The share of a new minibatch in the running mean of curvatures. */
export const CURVATURE_MEMORY = 0.1;

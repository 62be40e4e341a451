import { choleskySolve } from 'pc-ae/math';
import { packedSize } from '../work/hessians.ts';

/** What is known of the loss at the codes of a round, in float64. */
interface RoundSums {
  /** The sum over all rows: V x width. */
  readonly gradient: ArrayLike<number>;
  /** Means over some rows: an upper triangle per bit. */
  readonly hessians: ArrayLike<number>;
}

interface StepOptions {
  readonly n: number;
  readonly H: number;
  readonly width: number;
  readonly ridge: number;
}

/** The gradient of the mean loss and of (ridge/2) |w|^2, which leaves the bias alone: V x width. */
export function slopeOf(
  W: ArrayLike<number>,
  gradient: ArrayLike<number>,
  { n, H, width, ridge }: StepOptions,
): Float64Array {
  return Float64Array.from(gradient, (g, k) => g / n + (k % width < H ? ridge * W[k] : 0));
}

/** Newton's step on W for given codes, bit by bit: V x width. A search decides how far to go along it. */
export function newtonStep(
  W: Float32Array,
  { gradient, hessians }: RoundSums,
  options: StepOptions,
): Float32Array {
  const { H, ridge, width } = options;
  const slope = slopeOf(W, gradient, options);
  const step = new Float32Array(W.length);
  const size = packedSize(width);
  for (let v = 0; v * width < W.length; v++) {
    const S = new Float64Array(width * width);
    let at = v * size;
    for (let i = 0; i < width; i++) {
      for (let j = i; j < width; j++) {
        S[i * width + j] = hessians[at];
        S[j * width + i] = hessians[at++];
      }
    }
    for (let h = 0; h < width; h++)
      S[h * width + h] = S[h * width + h] * (1 + RAISED) + (h < H ? ridge : LEAST);
    const d = choleskySolve(S, slope.subarray(v * width, (v + 1) * width));
    // Weights whose loss does not bend, as far as numbers tell, stay.
    const share = Math.min(
      1,
      FARTHEST / (d?.reduce((most, length) => Math.max(most, Math.abs(length)), 0) ?? 1),
    );
    d?.forEach((length, h) => {
      step[v * width + h] = -share * length;
    });
  }
  return step;
}

/**
 * How far each bit goes along its step: to where the slope is 0, between the two lengths (the first is 0) at
 * which it has different signs, by a straight line between those. A convex loss has one such place, and none
 * is lower: no bit's loss ever rises beyond what the line is off by. A bit that still falls at the last
 * length goes there.
 */
export function lengthsOf(
  lengths: readonly number[],
  slopes: readonly ArrayLike<number>[],
  V: number,
): Float64Array {
  return Float64Array.from({ length: V }, (_, v) => {
    if (!(slopes[0][v] < 0)) return 0;
    const k = slopes.findIndex((slope) => slope[v] >= 0);
    if (k < 0) return lengths[lengths.length - 1];
    const [before, after] = [slopes[k - 1][v], slopes[k][v]];
    return lengths[k - 1] + ((lengths[k] - lengths[k - 1]) * before) / (before - after);
  });
}

/**
 * No weight goes farther in a step. A bit that is on in a few rows, and in none that the start was learned
 * from, has a loss that bends next to nothing where W is: Newton's step is then longer by orders of magnitude
 * than what a straight line can tell apart.
 */
const FARTHEST = 8;
/** The diagonal is raised by this share of itself, as the engine does. */
const RAISED = 1e-4;
/**
 * What the bias unit's diagonal is raised by: bits that are the same in nearly all rows bend next to nothing.
 */
const LEAST = 1e-6;

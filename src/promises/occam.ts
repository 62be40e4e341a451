/**
 * Promises from the training rows themselves, for tables with no rows to spare. There are few weights that
 * can be described in S nats. A promise with ln(1/delta) + S nats of evidence holds for all of them at once,
 * each at its share e^-S of delta, and therefore for the weights that learning chose (Occam's razor; Blumer
 * et al. 1987).
 */
export interface Described {
  /** The nats S that describe the weights. All descriptions differ, so that their e^-S sum to at most 1. */
  readonly nats: number;
  /** Each code is proven to be within this of its row's optimum, which depends on the weights alone. */
  readonly gap: number;
}

/** Weights that are multiples of a step, and the nats that describe them. */
interface RoundedWeights {
  readonly W: Float32Array;
  readonly nats: number;
}

/** Steps that weights are rounded to, from coarse to fine: 2^8 to 2^-15. */
export const STEPS = Array.from({ length: 24 }, (_, k) => 2 ** (8 - k));
/** Mean sizes of the integers, 2^-2 to 2^29. */
const RATES = 32;

/**
 * Weights (V x width) rounded to a step. The integers of a unit are coded with a two-sided geometric
 * distribution, whose rate is one of a few. The description includes step, rates and width, and how far codes
 * reach: 1, or a float32.
 */
export function roundWeights(
  W: Float32Array,
  width: number,
  radius: number,
  step: (typeof STEPS)[number],
): RoundedWeights {
  // One of the steps; the width, whose description 1 / (width (width + 1)) sums to 1; a rate for each unit.
  let nats = Math.log(STEPS.length) + Math.log(width * (width + 1)) + width * Math.log(RATES);
  nats += radius === 1 ? Math.LN2 : 33 * Math.LN2;
  const sizes = new Float64Array(width);
  const rounded = W.map((w, i) => {
    const integer = Math.round(w / step);
    sizes[i % width] += Math.abs(integer);
    return integer * step;
  });
  for (const size of sizes) nats += integersNats(W.length / width, size);
  return { W: rounded, nats };
}

/** The least nats, over all rates, that describe `count` integers whose sizes sum to `size`. */
function integersNats(count: number, size: number): number {
  const lengths = Array.from({ length: RATES }, (_, k) => {
    const mean = 2 ** (k - 2);
    // P(i) = (1 - r) / (1 + r) r^|i|, whose mean |i| is 2 r / (1 - r^2).
    const rate = (Math.sqrt(1 + mean * mean) - 1) / mean;
    return count * Math.log((1 + rate) / (1 - rate)) - size * Math.log(rate);
  });
  return Math.min(...lengths);
}

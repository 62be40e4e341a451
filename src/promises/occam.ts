/**
 * Promises from the very rows that were learned from, for tables with none to spare. Weights that can be
 * described in S nats are one of few: a promise at ln(1/delta) + S nats of evidence holds for all such
 * weights at once, each at its share e^-S of delta, and so for whichever of them learning chose (Occam's
 * razor; Blumer et al. 1987).
 */
export interface Described {
  /** What describing the weights takes, in nats: no two descriptions are alike, so their e^-S sum to at most 1. */
  readonly nats: number;
  /** Each code is proven to be within this of its row's best, which is what the weights alone decide. */
  readonly gap: number;
}

/** Weights that are multiples of a step, and what describing them takes. */
export interface RoundedWeights {
  readonly W: Float32Array;
  readonly nats: number;
}

/** Steps that weights are rounded to, from coarse to fine: 2^8 to 2^-15. */
export const STEPS = Array.from({ length: 24 }, (_, k) => 2 ** (8 - k));
/** Mean sizes of the integers, 2^-2 to 2^29. */
const RATES = 32;

/**
 * Weights (V x width) rounded to a step. The integers of one unit are coded as if they fell off geometrically
 * on both sides, at a rate of its own out of a few. Step, rates and width are counted too, and how far codes
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

/** The least that integers take, `count` of them whose sizes sum to `size`, at one of the rates. */
function integersNats(count: number, size: number): number {
  const lengths = Array.from({ length: RATES }, (_, k) => {
    const mean = 2 ** (k - 2);
    // P(i) = (1 - r) / (1 + r) r^|i|, whose mean |i| is 2 r / (1 - r^2).
    const rate = (Math.sqrt(1 + mean * mean) - 1) / mean;
    return count * Math.log((1 + rate) / (1 - rate)) - size * Math.log(rate);
  });
  return Math.min(...lengths);
}

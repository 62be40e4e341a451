/**
 * Promises from the very rows that were learned from, for tables with none to spare. Weights that can be described in S
 * nats are one of few: a promise at ln(1/delta) + S nats of evidence holds for all such weights at once, each at its share
 * e^-S of delta, and so for whichever of them learning chose (Occam's razor; Blumer et al. 1987).
 */
export interface Described {
  /** What describing the rounded weights takes, in nats: no two descriptions are alike, so their e^-S sum to at most 1. */
  readonly nats: number;
  /**
   * No row's loss differs by more than this between the weights and the rounded ones, each with its own best code: the loss
   * of a bit moves by no more than its score, so that of a row by no more than sum_vh |w_vh - w'_vh| max |e_h|.
   */
  readonly shift: number;
  /** Each code is proven to be within this of its row's best. */
  readonly gap: number;
}

/** What of a decoder has to be described. */
export interface Weights {
  /** V x width. */
  readonly W: ArrayLike<number>;
  readonly width: number;
  /** No code reaches beyond this. */
  readonly radius: number;
  /** Codes are proven to be this close to the best. */
  readonly gap: number;
  readonly columnWeights?: ArrayLike<number>;
}

/**
 * The descriptions worth trying, the coarsest first: weights rounded to multiples of 2^-j. The integers of one unit are
 * coded as if they fell off geometrically on both sides, at a rate of its own out of a few; step, rates and width are
 * counted too.
 */
export function descriptions(weights: Weights): Described[] {
  return Array.from({ length: STEPS }, (_, j) => described(weights, 2 ** -j));
}

const STEPS = 24;
/** Mean sizes of the integers, 2^-2 to 2^29. */
const RATES = 32;

function described({ W, width, radius, gap, columnWeights }: Weights, step: number): Described {
  // One of the steps; the width, whose description 1 / (width (width + 1)) sums to 1; a rate for each unit.
  let nats = Math.log(STEPS) + Math.log(width * (width + 1)) + width * Math.log(RATES);
  // How far codes reach is 1 or a float32.
  nats += radius === 1 ? Math.LN2 : 33 * Math.LN2;
  const sizes = new Float64Array(width);
  let shift = 0;
  for (let i = 0; i < W.length; i++) {
    const integer = Math.round(W[i] / step);
    sizes[i % width] += Math.abs(integer);
    const weight = columnWeights?.[Math.floor(i / width)] ?? 1;
    shift += weight * Math.abs(W[i] - integer * step) * Math.max(1, radius);
  }
  for (const size of sizes) nats += integersNats(W.length / width, size);
  return { nats, shift, gap };
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

/** Rounded up losses of rows under the rounded weights. */
export function shifted(losses: ArrayLike<number>, shift: number, ceiling: number): Float64Array {
  return Float64Array.from({ length: losses.length }, (_, i) => Math.min(ceiling, losses[i] + shift));
}

import { sum } from '../rows/sum.ts';
import type { Decoding } from './ceiling.ts';

/** What changed bits cost a decoder whose scores are capped. */
export interface ChangedBits {
  /** No score counts as more than this, on either side. */
  readonly cap: number;
  /** What it adds to the loss of any row, at most, that any k of its bits are changed once its code is found. */
  readonly price: number;
}

/**
 * A changed bit adds |m_v| to the loss of its row, which may be anything; with scores capped at c it adds c.
 * The cap costs the bits that were right at most (Psi(c) - c) / 2 each, whatever the row, and those that were
 * wrong nothing. The best cap for k changed bits has the smallest sum V (Psi(c) - c) / 2 + k c. For
 * cross-entropy it is ln((V - k) / k) and the sum V h(k / V), h being the entropy of a bit in nats: what
 * naming the changed bits costs. A cap of 0 is even odds for all bits.
 */
export function changedBits(k: number, decoding: Decoding): ChangedBits {
  const { V, columnWeights, reconstructionLoss: loss } = decoding;
  const bits = columnWeights ? sum(columnWeights) : V;
  const heaviest = columnWeights ? Array.from(columnWeights).reduce((a, b) => Math.max(a, b), 0) : 1;
  const right = (c: number) => Math.max(loss.psi(c), loss.psi(-c)) - c;
  const priceOf = (c: number) => (bits * right(c)) / 2 + k * heaviest * c;
  // The price is convex in the cap, and every cap is good for a promise: thirds of the interval will do.
  let [low, high] = [0, MOST];
  for (let step = 0; step < 100; step++) {
    const [a, b] = [low + (high - low) / 3, high - (high - low) / 3];
    if (priceOf(a) <= priceOf(b)) high = b;
    else low = a;
  }
  const cap = (low + high) / 2;
  return { cap, price: priceOf(cap) };
}

/** Scores beyond this are as good as certain. */
const MOST = 60;

import { sum } from '../rows/sum.ts';
import { type Decoding, withoutEscape } from './ceiling.ts';

/** What changed bits cost if scores are capped. */
interface ChangedBits {
  /** Scores are limited to [-cap, cap]. */
  readonly cap: number;
  /** The most that changing any k bits of a row after it was encoded adds to its loss. */
  readonly price: number;
  /** The most that a row costs at capped scores, whatever its code and its bits. */
  readonly most: number;
}

/**
 * A changed bit adds |m_v| to the loss of its row, which has no limit; with scores capped at c it adds at
 * most c. The cap costs each bit that was right at most (Psi(c) - c) / 2, for any row, and bits that were
 * wrong nothing. The best cap for k changed bits has the smallest sum V (Psi(c) - c) / 2 + k c. For
 * cross-entropy it is ln((V - k) / k) and the sum V h(k / V), with h the entropy of a bit in nats: the cost
 * of naming the changed bits. A cap of 0 is even odds for all bits.
 *
 * A row whose code just did not escape may cost more than the ceiling once its bits change, but never more
 * than if every score were wrong and at the cap.
 */
export function changedBits(k: number, decoding: Decoding): ChangedBits {
  const { V, columnWeights, reconstructionLoss: loss } = decoding;
  const bits = columnWeights ? sum(columnWeights) : V;
  const heaviest = columnWeights ? Array.from(columnWeights).reduce((a, b) => Math.max(a, b), 0) : 1;
  const right = (c: number) => Math.max(loss.psi(c), loss.psi(-c)) - c;
  const priceOf = (c: number) => (bits * right(c)) / 2 + k * heaviest * c;
  // The price is convex in the cap, and any cap gives a valid promise, so ternary search is precise enough.
  let [low, high] = [0, MOST];
  for (let step = 0; step < 100; step++) {
    const [a, b] = [low + (high - low) / 3, high - (high - low) / 3];
    if (priceOf(a) <= priceOf(b)) high = b;
    else low = a;
  }
  const cap = (low + high) / 2;
  const wrong = Math.max(loss.psi(cap), loss.psi(-cap)) + cap;
  return { cap, price: priceOf(cap), most: withoutEscape((bits * wrong) / 2, decoding) };
}

/** The largest cap that is tried: such scores are practically certain. */
const MOST = 60;

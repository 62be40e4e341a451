import type { Loss } from '../losses/loss.ts';
import { sum } from '../rows/sum.ts';

/** What promises need to know about a decoder. */
export interface Decoding {
  readonly V: number;
  readonly reconstructionLoss: Loss;
  /** The weight of an entry of each column; 1 if absent. */
  readonly columnWeights?: ArrayLike<number>;
}

/**
 * The loss of a row if its code is read as even odds: (1/2) Psi(0) for every bit, times the columns' weights.
 */
export function evenOdds({ V, columnWeights, reconstructionLoss }: Decoding): number {
  return 0.5 * (columnWeights ? sum(columnWeights) : V) * reconstructionLoss.psi(0);
}

/**
 * The largest loss of any row at all with the escape, a code that stands for even odds and is used for rows
 * that the decoder describes worse than that. For losses in nats the escape has a probability of 0.001: no
 * row costs more than even odds and 7 nats, and every other row pays 0.0011 nats at most. For other losses
 * the escape is one more bit of the code, which costs nothing in their unit.
 */
export function ceilingOf(decoding: Decoding): number {
  return evenOdds(decoding) + prices(decoding).leave;
}

/**
 * The loss of a row with the escape, from its loss without and its loss at even odds (of its known entries).
 */
export function withEscape(loss: number, odds: number, decoding: Decoding): number {
  const { leave, stay } = prices(decoding);
  return Math.min(loss + stay, odds + leave);
}

/** The loss of a row that could escape and does not. */
export function withoutEscape(loss: number, decoding: Decoding): number {
  return loss + prices(decoding).stay;
}

/** Whether a row uses the escape. */
export function escapes(loss: number, odds: number, decoding: Decoding): boolean {
  const { leave, stay } = prices(decoding);
  return loss + stay > odds + leave;
}

/** The cost of escaping, and of not escaping. */
function prices(decoding: Decoding): { readonly leave: number; readonly stay: number } {
  return inNats(decoding) ? { leave: -Math.log(ESCAPE), stay: -Math.log1p(-ESCAPE) } : { leave: 0, stay: 0 };
}

/** The probability of the escape. */
export const ESCAPE = 0.001;

/** Whether e^-loss is the probability of a row: cross-entropy in which every column counts alike. */
export function inNats({ reconstructionLoss, columnWeights }: Decoding): boolean {
  return reconstructionLoss.name === 'cross-entropy' && !columnWeights;
}

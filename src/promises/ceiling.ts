import type { Loss } from '../losses/loss.ts';
import { sum } from '../rows/sum.ts';

/** What promises need to know of a decoder. */
export interface Decoding {
  readonly V: number;
  readonly reconstructionLoss: Loss;
  /** The weight of an entry of each column; 1 if absent. */
  readonly columnWeights?: ArrayLike<number>;
}

/** What reading the code of any row as even odds costs, for every bit: (1/2) Psi(0), times the columns' weights. */
export function evenOdds({ V, columnWeights, reconstructionLoss }: Decoding): number {
  return 0.5 * (columnWeights ? sum(columnWeights) : V) * reconstructionLoss.psi(0);
}

/**
 * The most that any row whatever costs, with the escape: a code that says to read it as even odds, for rows
 * that the decoder describes worse than those. In nats it is given a probability of 0.001, so that no row
 * costs more than even odds and 7 nats, and no other row pays more than 0.0011 nats for it. Other losses are
 * of a code with one bit more, which costs nothing in their unit.
 */
export function ceilingOf(decoding: Decoding): number {
  return evenOdds(decoding) + prices(decoding).leave;
}

/** What a row costs with the escape: by its loss without, and its even odds (of the entries that are known). */
export function withEscape(loss: number, odds: number, decoding: Decoding): number {
  const { leave, stay } = prices(decoding);
  return Math.min(loss + stay, odds + leave);
}

/** Whether the code of a row escapes. */
export function escapes(loss: number, odds: number, decoding: Decoding): boolean {
  const { leave, stay } = prices(decoding);
  return loss + stay > odds + leave;
}

/** What it costs to escape, and not to. */
function prices(decoding: Decoding): { readonly leave: number; readonly stay: number } {
  return inNats(decoding) ? { leave: -Math.log(ESCAPE), stay: -Math.log1p(-ESCAPE) } : { leave: 0, stay: 0 };
}

/** The probability of the escape. */
export const ESCAPE = 0.001;

/** Whether e^-loss is the probability of a row: cross-entropy in which every column counts alike. */
export function inNats({ reconstructionLoss, columnWeights }: Decoding): boolean {
  return reconstructionLoss.name === 'cross-entropy' && !columnWeights;
}

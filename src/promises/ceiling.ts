import type { Loss } from '../losses/loss.ts';
import { sum } from './sum.ts';

/** What promises need to know of a decoder. */
export interface Decoding {
  readonly V: number;
  readonly reconstructionLoss: Loss;
  /** What an entry of each column counts; 1 where absent. */
  readonly columnWeights?: ArrayLike<number>;
}

/** What reading the code of any row as even odds costs, for every bit: (1/2) Psi(0), times the columns' weights. */
export function evenOdds({ V, columnWeights, reconstructionLoss }: Decoding): number {
  return 0.5 * (columnWeights ? sum(columnWeights) : V) * reconstructionLoss.psi(0);
}

/**
 * The most that any row whatever costs, with the escape. In nats the decoder gives even odds a small share of its belief,
 * e^-7: each row is as probable as (1 - share) e^-loss + share e^-evenOdds, so no row costs more than even odds and 7 nats,
 * and no row pays more than 0.001 nats for it. Other losses are of a code with one bit more, which says to read it as even
 * odds; that bit costs nothing in their unit.
 */
export function ceilingOf(decoding: Decoding): number {
  return evenOdds(decoding) + (inNats(decoding) ? -Math.log(ESCAPE) : 0);
}

/** What a row costs with the escape: its loss without, and its even odds (of the entries that are known). */
export function withEscape(loss: number, odds: number, decoding: Decoding): number {
  if (!inNats(decoding)) return Math.min(loss, odds);
  const [likely, escaped] = [loss - Math.log1p(-ESCAPE), odds - Math.log(ESCAPE)];
  return Math.min(likely, escaped) - Math.log1p(Math.exp(-Math.abs(likely - escaped)));
}

/** The share of belief that goes to even odds. */
export const ESCAPE = 0.001;

/** Whether e^-loss is the probability of a row: cross-entropy in which every column counts alike. */
export function inNats({ reconstructionLoss, columnWeights }: Decoding): boolean {
  return reconstructionLoss.name === 'cross-entropy' && !columnWeights;
}

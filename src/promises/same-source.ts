import { betaBinomialTail } from './binomial.ts';
import { rankOf } from './next-row.ts';

/**
 * Whether rows may come from the source of the calibration rows, judged by how many of them have a large
 * loss.
 */
export interface SameSource {
  readonly n: number;
  /** The calibrated line, a loss that at most 5% of rows like the calibration rows exceed. */
  readonly line: number;
  /** The share of the new rows above the line. */
  readonly above: number;
  /** The probability that this many rows from the same source, or more, lie above the line. */
  readonly pValue: number;
}

/**
 * Tests whether m new rows come from the source of n calibrated ones. If so, and in random order, the number
 * of new losses above the j-th smallest calibrated loss is beta-binomial for any source, and ties only make
 * it smaller. The p-value is exact or, with ties, too large. Rows that are easier than the calibration rows
 * are not noticed.
 */
export function sameSource(sorted: ArrayLike<number>, losses: ArrayLike<number>): SameSource {
  const n = sorted.length;
  const rank = Math.min(n, rankOf(n, 0.95));
  const line = sorted[rank - 1];
  let count = 0;
  for (let i = 0; i < losses.length; i++) if (losses[i] > line) count++;
  const pValue = betaBinomialTail(losses.length, n - rank + 1, rank, count);
  return { n: losses.length, line, above: count / losses.length, pValue };
}

import { binomialTail } from './binomial.ts';

/**
 * The most that at least a share of the source's rows costs, with probability 1 - delta over the calibration
 * rows: the k-th smallest of their losses, with the smallest k for which the source's quantile is below it
 * surely enough. At least k of n rows lie below the quantile with the probability that a binomial count
 * reaches k: exact, for any source, ties included (Wilks 1941). If the rows are too few for any k, only the
 * ceiling can be promised.
 */
export function quantileBound(
  sorted: ArrayLike<number>,
  ceiling: number,
  share: number,
  delta: number,
): number {
  const n = sorted.length;
  if (binomialTail(n, share, n) > delta) return ceiling;
  let [low, high] = [0, n];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (binomialTail(n, share, middle) <= delta) high = middle;
    else low = middle;
  }
  return sorted[high - 1];
}

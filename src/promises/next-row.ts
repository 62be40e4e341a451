/**
 * The most that one more row of the source costs, with the given probability: the k-th smallest of n
 * calibrated losses with k = ceil(probability (n + 1)). In a random order of n + 1 rows, the last is equally
 * likely to have any rank (split conformal prediction; Vovk, Gammerman and Shafer 2005). Ties only help. The
 * probability is over the calibration rows and the new row together. If k is more than n, only the ceiling
 * can be promised.
 */
export function nextRowBound(sorted: ArrayLike<number>, ceiling: number, probability: number): number {
  const k = rankOf(sorted.length, probability);
  return k > sorted.length ? ceiling : sorted[k - 1];
}

/** ceil(probability (n + 1)), where a product that is whole but for its rounding counts as whole. */
export function rankOf(n: number, probability: number): number {
  return Math.max(1, Math.ceil(probability * (n + 1) * (1 - 1e-15)));
}

/** The least distance, to a thousandth, beyond which a loss is straight, and at most `farthest`. */
export function straightFrom(straight: (m: number) => boolean, farthest: number): number {
  let [low, high] = [0, Math.min(64, farthest)];
  while (high < farthest && !straight(high)) {
    low = high;
    high *= 2;
  }
  while (high - low > 1e-3 * high) {
    const middle = (low + high) / 2;
    if (straight(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/** The share of numbers that are exactly zero. */
export function shareOfZeros(values: ArrayLike<number>): number {
  let zeros = 0;
  for (let i = 0; i < values.length; i++) if (values[i] === 0) zeros++;
  return zeros / values.length;
}

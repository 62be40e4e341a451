/** The places of gaps that are above the tolerance, or no numbers. Most of a hundred thousand are not. */
export function unproven(gaps: Float64Array, tolerance: number): Int32Array {
  const open: number[] = [];
  for (let i = 0; i < gaps.length; i++) if (!(gaps[i] <= tolerance)) open.push(i);
  return Int32Array.from(open);
}

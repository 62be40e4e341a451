/** The symmetric box |e_h| <= radius, which several encodings are made of. */

export function projectOntoBox(e: Float64Array, radius: number): void {
  for (let h = 0; h < e.length; h++) e[h] = Math.max(-radius, Math.min(radius, e[h]));
}

/** A gradient that is exactly zero certifies an optimum in a box of any size, an infinite one included. */
export function gapOverBox(g: Float64Array, e: Float64Array, radius: number): number {
  let sum = 0;
  for (let h = 0; h < e.length; h++) sum += g[h] === 0 ? 0 : g[h] * e[h] + radius * Math.abs(g[h]);
  return sum;
}

/** For codes that are learned without limits: no radius, and the start as it is. */
export const learnedFreely = {
  free: true,
  learningRadius: () => Number.POSITIVE_INFINITY,
  start: (W: Float32Array) => W,
} as const;

import { digits } from '../../src/data/digits.ts';
import type { BitRows } from '../../src/rows/rows.ts';

/** Small generated pictures of digits as rows of bits (every second pixel of every second line: V = 196). */
export function toyRows(n: number, seed = 1): BitRows {
  const V = 196;
  const { images } = digits({ train: n, test: 1, seed }).train;
  const bits = new Uint8Array(n * 25);
  for (let i = 0; i < n; i++) {
    for (let v = 0; v < V; v++) {
      const pixel = images[i * 784 + Math.floor(v / 14) * 56 + (v % 14) * 2];
      if (pixel > 127) bits[i * 25 + (v >> 3)] |= 1 << (v & 7);
    }
  }
  return { kind: 'bits', n, V, bits };
}

/** The loss per row of the best constant reconstruction: every bit's entropy. */
export function baseRateLoss(rows: BitRows): number {
  let loss = 0;
  for (let v = 0; v < rows.V; v++) {
    let ones = 0;
    for (let i = 0; i < rows.n; i++) ones += (rows.bits[i * 25 + (v >> 3)] >> (v & 7)) & 1;
    const p = ones / rows.n;
    if (p > 0 && p < 1) loss -= p * Math.log(p) + (1 - p) * Math.log(1 - p);
  }
  return loss;
}

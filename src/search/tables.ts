import { rowBytes } from '../rows/rows.ts';

/** Values of a half byte. */
export const HALF = 16;

/** What each value of each half byte of a code costs, for n queries. */
export interface Tables {
  readonly n: number;
  /** Half bytes of a code, two for each byte, the lower one first. */
  readonly halves: number;
  /** n x halves x 16. */
  readonly values: Float32Array;
}

/** Tables of costs -a . e for codes of bits e in {-1, 1}^H, one row of H numbers a per query. */
export function linearTables(weights: Float32Array, H: number): Tables {
  const halves = 2 * Math.max(1, rowBytes(H));
  const n = weights.length / H;
  const values = new Float32Array(n * halves * HALF);
  for (let q = 0; q < n; q++) {
    for (let m = 0; m < halves; m++) {
      for (let v = 0; v < HALF; v++) {
        let cost = 0;
        for (let j = 0; j < 4; j++) {
          const h = 4 * m + j;
          if (h < H) cost -= (v >> j) & 1 ? weights[q * H + h] : -weights[q * H + h];
        }
        values[(q * halves + m) * HALF + v] = cost;
      }
    }
  }
  return { n, halves, values };
}

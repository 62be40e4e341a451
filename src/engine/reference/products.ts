import { eachKnown } from '../../rows/entries.ts';
import type { Rows } from '../../rows/rows.ts';

/** A^T diag(weights) A, for rows of `width` numbers: `Engine.gram`. */
export function gramOf(A: Float32Array, width: number, weights?: Float32Array): Float64Array {
  const out = new Float64Array(width * width);
  for (let k = 0; k * width < A.length; k++) {
    for (let i = 0; i < width; i++) {
      const scaled = (weights?.[k] ?? 1) * A[k * width + i];
      for (let j = 0; j < width; j++) out[i * width + j] += scaled * A[k * width + j];
    }
  }
  return out;
}

/** Y = X A: `Engine.project`. */
export function projectRows(rows: Rows, A: Float32Array, width: number, Y: Float32Array): void {
  Y.fill(0, 0, rows.n * width);
  eachKnown(rows, (x, i, v) => {
    for (let h = 0; h < width; h++) Y[i * width + h] += x * A[v * width + h];
  });
}

/** A = X^T Y: `Engine.correlate`. */
export function correlateRows(rows: Rows, Y: Float32Array, width: number, A: Float32Array): void {
  A.fill(0, 0, rows.V * width);
  eachKnown(rows, (x, i, v) => {
    for (let h = 0; h < width; h++) A[v * width + h] += x * Y[i * width + h];
  });
}

/** What the rows say of the correlations of their source with codes. */
import type { DriftSet } from '../math/drift-sets.ts';
import { driftEllipsoid } from '../math/estimated-drift.ts';
import { type Matrix, matrix, row } from '../math/matrix.ts';
import { entry, type Rows } from '../rows/rows.ts';

/** For each bit the ellipsoid around the rows' correlations that holds those of their source, all bits at once. */
export function sourceEllipsoids(rows: Rows, E: Matrix, confidence: number, call: string): DriftSet[] {
  const ofBit = confidenceOfBit(confidence, rows.V);
  return Array.from({ length: rows.V }, (_, v) => driftEllipsoid(columnOf(rows, v, call), E, ofBit));
}

/** What to ask of each of V bits, so that all of them hold with this confidence (Bonferroni). */
export function confidenceOfBit(confidence: number, V: number): number {
  return 1 - (1 - confidence) / V;
}

/** Bit v of every row. */
export function columnOf(rows: Rows, v: number, call: string): Float64Array {
  return Float64Array.from({ length: rows.n }, (_, i) => {
    const x = entry(rows, i, v);
    if (!Number.isNaN(x)) return x;
    const column = rows.columns?.[v] ?? v;
    throw new RangeError(`${call}: needs rows without gaps, and row ${i} has no entry in column ${column}`);
  });
}

/** Codes in float64, with the bias unit's 1 where there is one. */
export function codeMatrix(
  codes: Float32Array,
  { H, bias }: { readonly H: number; readonly bias: boolean },
): Matrix {
  const n = codes.length / H;
  const E = matrix(n, bias ? H + 1 : H);
  for (let i = 0; i < n; i++) {
    row(E, i).fill(1);
    row(E, i).set(codes.subarray(i * H, (i + 1) * H));
  }
  return E;
}

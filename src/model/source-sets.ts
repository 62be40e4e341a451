/** Sets that hold the correlations of the rows' source with the codes, with a given confidence. */
import type { DriftSet } from '../math/drift-sets.ts';
import { driftEllipsoid } from '../math/estimated-drift.ts';
import type { Matrix } from '../math/matrix.ts';
import { entry, type Rows } from '../rows/rows.ts';

/**
 * For each bit, the ellipsoid around the rows' correlations that holds their source's, for all bits at once.
 */
export function sourceEllipsoids(rows: Rows, E: Matrix, confidence: number, call: string): DriftSet[] {
  const ofBit = confidenceOfBit(confidence, rows.V);
  return Array.from({ length: rows.V }, (_, v) => driftEllipsoid(columnOf(rows, v, call), E, ofBit));
}

/**
 * The confidence that each of V bits needs so that all of them hold together with the given one (Bonferroni).
 */
export function confidenceOfBit(confidence: number, V: number): number {
  return 1 - (1 - confidence) / V;
}

/** Column v: its entry in every row. */
export function columnOf(rows: Rows, v: number, call: string): Float64Array {
  return Float64Array.from({ length: rows.n }, (_, i) => {
    const x = entry(rows, i, v);
    if (!Number.isNaN(x)) return x;
    const column = rows.columns?.[v] ?? v;
    throw new RangeError(`${call}: needs rows without gaps, and row ${i} has no entry in column ${column}`);
  });
}

import { aboutOf, type RowsAbout } from './about.ts';
import { pickNames } from './names.ts';

/**
 * Rows: the data X of the paper, n examples of V entries each, every entry in [-1, 1] (Eq. 1).
 *
 * Bits are stored packed, real values as float32; both are flat typed arrays. Rows are examples: the paper's
 * V x n matrix X is the transpose of what is stored here.
 */
export type Rows = BitRows | RealRows;

/** Rows of true bits: 0 stands for -1, 1 for +1. */
export interface BitRows extends RowsAbout {
  readonly kind: 'bits';
  readonly n: number;
  readonly V: number;
  /** `rowBytes(V)` bytes per row; column v is bit `v & 7` (least significant first) of byte `v >> 3`. */
  readonly bits: Uint8Array;
  /** Same layout, 1 where the entry is known. Absent: everything is known. */
  readonly known?: Uint8Array;
}

/** Rows of randomised bits (App. B): the value is the mean of the bit, in [-1, 1]; NaN is a missing entry. */
export interface RealRows extends RowsAbout {
  readonly kind: 'real';
  readonly n: number;
  readonly V: number;
  /** n x V, row after row. */
  readonly values: Float32Array;
}

/** Bytes of a packed row of V bits. */
export function rowBytes(V: number): number {
  return (V + 7) >> 3;
}

/** A mask in which every entry is known: ones, except for the spare bits at the end of each row. */
export function allKnown(n: number, V: number): Uint8Array {
  return knowAll(new Uint8Array(n * rowBytes(V)), V);
}

/** The same in the place of another mask. */
export function knowAll<Mask extends Uint8Array>(known: Mask, V: number): Mask {
  const stride = rowBytes(V);
  known.fill(255);
  if (V & 7) for (let at = stride - 1; at < known.length; at += stride) known[at] = (1 << (V & 7)) - 1;
  return known;
}

/** The entry of row i, column v: in [-1, 1], or NaN when it is missing. */
export function entry(rows: Rows, i: number, v: number): number {
  if (rows.kind === 'real') return rows.values[i * rows.V + v];
  const at = i * rowBytes(rows.V) + (v >> 3);
  const bit = 1 << (v & 7);
  if (rows.known && (rows.known[at] & bit) === 0) return Number.NaN;
  return rows.bits[at] & bit ? 1 : -1;
}

/** Rows start to end (end excluded), as views on the same storage. */
export function sliceRows(rows: Rows, start: number, end: number): Rows {
  const { V } = rows;
  const n = end - start;
  const about = aboutOf(rows, rows.ids && pickNames(rows.ids, n, (i) => start + i));
  if (rows.kind === 'real') {
    return { ...about, kind: 'real', n, V, values: rows.values.subarray(start * V, end * V) };
  }
  const bytes = rowBytes(V);
  const bits = rows.bits.subarray(start * bytes, end * bytes);
  const known = rows.known?.subarray(start * bytes, end * bytes);
  return { ...about, kind: 'bits', n, V, bits, ...(known && { known }) };
}

/** The chosen rows, copied in the order given. */
export function takeRows(rows: Rows, order: ArrayLike<number>): Rows {
  const { V } = rows;
  const n = order.length;
  const about = aboutOf(rows, rows.ids && pickNames(rows.ids, n, (i) => order[i]));
  const stride = rows.kind === 'real' ? V : rowBytes(V);
  const take = <T extends Uint8Array | Float32Array>(from: T, to: T): T => {
    for (let i = 0; i < n; i++) {
      to.set(from.subarray(order[i] * stride, (order[i] + 1) * stride), i * stride);
    }
    return to;
  };
  if (rows.kind === 'real')
    return { ...about, kind: 'real', n, V, values: take(rows.values, new Float32Array(n * V)) };
  const bits = take(rows.bits, new Uint8Array(n * stride));
  if (!rows.known) return { ...about, kind: 'bits', n, V, bits };
  return { ...about, kind: 'bits', n, V, bits, known: take(rows.known, new Uint8Array(n * stride)) };
}

/** Whether any entry is missing. */
export function anyMissing(rows: Rows): boolean {
  return rows.kind === 'bits' ? rows.known !== undefined : rows.values.some((value) => Number.isNaN(value));
}

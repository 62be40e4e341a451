import type { Numbers } from '../rows/values.ts';
import { decodeElements, type ElementType, elementBytes } from './elements.ts';

/** The numbers of a table stored column by column, in the order of MATLAB and Fortran. */
export interface ColumnMajor {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly element: ElementType;
  readonly littleEndian: boolean;
  /** The place of a column's first number. */
  start(v: number): number;
}

/** The rows of such a table, some at a time. Only those are decoded; the table stays as it is in the file. */
export async function* rowsOfColumns(
  table: ColumnMajor,
  n: number,
  V: number,
  size: number,
): AsyncGenerator<Numbers> {
  const { bytes, element, littleEndian } = table;
  const width = elementBytes(element);
  for (let i = 0; i < n; i += size) {
    const count = Math.min(n, i + size) - i;
    const rows = emptyFor(element, count * V);
    for (let v = 0; v < V; v++) {
      const from = (table.start(v) + i) * width;
      const column = decodeElements(bytes.subarray(from, from + count * width), element, littleEndian);
      for (let r = 0; r < count; r++) rows[r * V + v] = column[r];
    }
    yield rows;
  }
}

function emptyFor(element: ElementType, length: number): Numbers {
  if (element === 'u1') return new Uint8Array(length);
  return element === 'f4' ? new Float32Array(length) : new Float64Array(length);
}

import { FormatError } from '../rows/errors.ts';
import type { NameList } from '../rows/names.ts';
import { entry, type Rows, rowBytes } from '../rows/rows.ts';

/** How rows, codes or reconstructions are written. */
export interface WriteOptions {
  /**
   * Numbers for real values: `signs` as they are (codes may lie outside [-1, 1]), `unit` as the probability
   * of a one. Given for bits too, it makes numbers of them; otherwise bits are written as 0 and 1.
   */
  readonly values?: 'signs' | 'unit';
  /** NPY only: eight bits in a byte. */
  readonly packed?: boolean;
  /** With `packed`: the first bit is the most significant, as in numpy.packbits (default), or the least. */
  readonly order?: 'msb' | 'lsb';
  /**
   * Entries may be missing: .bits files then have a mask, and NPY files hold NaN. Other formats ignore this.
   */
  readonly masked?: boolean;
  /**
   * CSV and TSV only: the columns of a category as one column of words, the most likely value of each;
   * entries of other columns as the likelier bit, in the words that they came in, unless `values` is given.
   */
  readonly words?: boolean;
}

/** What to call the column of the names of rows: as it was called, and otherwise than all others. */
export function idHeading(ids: NameList, columns: readonly string[] = []): string {
  let heading = ids.heading || 'id';
  while (columns.includes(heading)) heading = `row_${heading}`;
  return heading;
}

/** A cell of a text table, in quotes where it holds what could be taken for the end of one. */
export function quoted(cell: string): string {
  return /[",;|\t\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** The number to write for an entry: NaN where it is missing. */
export function writtenValue(rows: Rows, i: number, v: number, options: WriteOptions): number {
  const x = entry(rows, i, v);
  const scale = options.values ?? (rows.kind === 'bits' ? 'unit' : 'signs');
  return scale === 'unit' ? (1 + x) / 2 : x;
}

/** A number as text: nine digits identify every float32. Bits, the common case, take a short cut. */
export function numberText(x: number): string {
  if (x === 0) return '0';
  return x === 1 ? '1' : String(Number(x.toPrecision(9)));
}

/**
 * The bit to write for an entry, where only bits can be written; `first` is the number of the rows' first.
 */
export function bitAt(rows: Rows, i: number, v: number, first: number): 0 | 1 {
  const x = entry(rows, i, v);
  if (x === 1) return 1;
  if (x === -1) return 0;
  const found = Number.isNaN(x) ? 'is missing' : `is ${x}`;
  throw new FormatError(
    'output',
    `row ${first + i + 1}, column ${v + 1}`,
    `only bits can be written here, and the entry ${found}`,
  );
}

/** All bits of rows as bytes 0 and 1, row after row. */
export function unpackBits(rows: Rows, first: number): Uint8Array {
  const { n, V } = rows;
  const bytes = new Uint8Array(n * V);
  if (rows.kind === 'bits' && !rows.known) {
    const stride = rowBytes(V);
    for (let i = 0; i < n; i++) {
      for (let v = 0; v < V; v++) bytes[i * V + v] = (rows.bits[i * stride + (v >> 3)] >> (v & 7)) & 1;
    }
    return bytes;
  }
  for (let i = 0; i < n; i++) for (let v = 0; v < V; v++) bytes[i * V + v] = bitAt(rows, i, v, first);
  return bytes;
}

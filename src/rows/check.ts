import { checkAbout } from './about.ts';
import { counted } from './counted.ts';
import { type Rows, rowBytes } from './rows.ts';

/** Refuses impossible numbers of rows or columns. */
export function checkShape(
  { n, V }: { readonly n: number; readonly V: number },
  argument: string,
  leastRows = 1,
): void {
  if (!Number.isInteger(n) || n < leastRows) {
    throw new RangeError(`${argument}.n: expected the number of rows, at least ${leastRows}, got ${n}`);
  }
  if (!Number.isInteger(V) || V < 1) {
    throw new RangeError(`${argument}.V: expected the number of columns, at least 1, got ${V}`);
  }
}

/** Checks type, size and range of the arrays of rows. `firstRow` is the number of the first row. */
export function checkPacked(rows: Rows, argument: string, firstRow = 0): Rows {
  const { n, V, kind } = rows;
  if (kind === 'bits') {
    checkArray(`${argument}.bits`, rows.bits, 'Uint8Array', rows, rowBytes(V));
    if (rows.known) checkArray(`${argument}.known`, rows.known, 'Uint8Array', rows, rowBytes(V));
  } else if (kind === 'real') {
    checkArray(`${argument}.values`, rows.values, 'Float32Array', rows, V);
    checkRange(rows.values, V, firstRow, argument);
  } else throw new TypeError(`${argument}.kind: expected 'bits' or 'real', got ${String(kind)}`);
  checkAbout(rows, n, V, argument);
  return rows;
}

/** Compares tags, not classes: an array may come from another realm, such as that of a worker. */
function checkArray(
  name: string,
  found: ArrayLike<number> | undefined,
  type: string,
  { n, V }: Rows,
  perRow: number,
): void {
  const tag = Object.prototype.toString.call(found).slice(8, -1);
  if (tag !== type) throw new TypeError(`${name}: expected a ${type}, got ${found ? tag : String(found)}`);
  if (found?.length === n * perRow) return;
  throw new RangeError(
    `${name}: expected ${counted(n * perRow, 'entry')} for ${counted(n, 'row')} of ${V} columns, ${perRow} each, got ${found?.length}`,
  );
}

function checkRange(values: Float32Array, V: number, firstRow: number, argument: string): void {
  for (let k = 0; k < values.length; k++) {
    const value = values[k];
    if ((value >= -1 && value <= 1) || Number.isNaN(value)) continue;
    throw new RangeError(
      `${argument}.values: found ${value} in row ${firstRow + Math.floor(k / V)}, column ${k % V}, expected a number in [-1, 1]`,
    );
  }
}

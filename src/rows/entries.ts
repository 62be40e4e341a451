import { entry, type Rows } from './rows.ts';

/**
 * Every entry as a number in [-1, 1], row after row, NaN where it is missing: n x V. Real rows give the
 * numbers that they hold, not a copy of them.
 */
export function entriesOf(rows: Rows): Float32Array {
  const { n, V } = rows;
  if (rows.kind === 'real') return rows.values;
  const values = new Float32Array(n * V);
  for (let i = 0, at = 0; i < n; i++) for (let v = 0; v < V; v++, at++) values[at] = entry(rows, i, v);
  return values;
}

/** Calls `visit` for each entry that is known, row after row. */
export function eachKnown(rows: Rows, visit: (x: number, i: number, v: number) => void): void {
  for (let i = 0; i < rows.n; i++) {
    for (let v = 0; v < rows.V; v++) {
      const x = entry(rows, i, v);
      if (!Number.isNaN(x)) visit(x, i, v);
    }
  }
}

import type { ColumnGroup } from '../rows/about.ts';

/** The columns that are filled in together: one column, or all columns of one category. */
export interface Cell {
  readonly first: number;
  readonly columns: number;
}

export function cellsOf(V: number, groups: readonly ColumnGroup[] = []): Cell[] {
  const sizes = new Uint32Array(V).fill(1);
  for (const { first, values } of groups) {
    sizes.fill(0, first, first + values.length);
    sizes[first] = values.length;
  }
  return Array.from(sizes, (columns, first) => ({ first, columns })).filter(({ columns }) => columns > 0);
}

/**
 * The probability of a cell's likeliest value, from reconstructions in [-1, 1]; those of the row begin at
 * `at`.
 */
export function sureOf({ first, columns }: Cell, shares: Float32Array, at: number): number {
  if (columns === 1) return (1 + Math.abs(shares[at + first])) / 2;
  let most = -1;
  for (let v = first; v < first + columns; v++) most = Math.max(most, shares[at + v]);
  return (1 + most) / 2;
}

import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { counted } from './counted.ts';
import { type Rows, takeRows } from './rows.ts';

/**
 * Splits and folds: which rows are for training, which are held out. The same seed gives the same rows, and a
 * part lists its rows in the order of the file, so that a source can be read once from front to back.
 */

/** How many rows a share of n rows is: whole ones, with at least one on either side. */
export function heldCount(n: number, share: number): number {
  if (!(share > 0 && share < 1))
    throw new RangeError(`the share to hold out must lie between 0 and 1, got ${share}`);
  if (n < 2)
    throw new RangeError(
      `to hold rows out, a table needs at least two, and this one has ${counted(n, 'row')}`,
    );
  return Math.min(n - 1, Math.max(1, Math.round(share * n)));
}

/** Holds out a share of the rows. */
export function holdOut(n: number, share: number, seed: number): { kept: Uint32Array; held: Uint32Array } {
  const count = heldCount(n, share);
  const order = permutation(n, seed);
  return { held: order.slice(0, count).sort(), kept: order.slice(count).sort() };
}

/** Rows with their weights, if they are not all equal. */
export interface CountedRows {
  readonly rows: Rows;
  readonly rowWeights?: Float64Array;
}

/**
 * Splits rows into those to learn from and those to measure on: a share of them, or the `validation` rows
 * given, or none. Rows of weight 0 are in neither part, as if they did not exist.
 */
export function split(
  counted: CountedRows,
  validation: number | Rows,
  seed: number,
): { training: CountedRows; held: CountedRows };
export function split(
  counted: CountedRows,
  validation: number | Rows | undefined,
  seed: number,
): { training: CountedRows; held?: CountedRows };
export function split(
  { rows, rowWeights }: CountedRows,
  validation: number | Rows | undefined,
  seed: number,
): { training: CountedRows; held?: CountedRows } {
  const counted = rowWeights && Uint32Array.from(rowWeights.keys()).filter((i) => rowWeights[i] > 0);
  const part = (order: Uint32Array): CountedRows => ({
    rows: takeRows(rows, order),
    ...(rowWeights && { rowWeights: Float64Array.from(order, (i) => rowWeights[i]) }),
  });
  if (typeof validation !== 'number') {
    return { training: counted ? part(counted) : { rows }, held: validation && { rows: validation } };
  }
  const { kept, held } = holdOut(counted?.length ?? rows.n, validation, seed);
  const numbers = (chosen: Uint32Array) => (counted ? chosen.map((k) => counted[k]) : chosen);
  return { training: part(numbers(kept)), held: part(numbers(held)) };
}

/** Deals all rows into k folds, whose sizes differ by one row at most. */
export function folds(n: number, k: number, seed: number): Uint32Array[] {
  if (!(Number.isInteger(k) && k >= 2 && k <= n)) {
    throw new RangeError(
      `the number of folds must be a whole number from 2 to the ${counted(n, 'row')}, got ${k}`,
    );
  }
  const order = permutation(n, seed);
  return Array.from({ length: k }, (_, j) =>
    order.slice(Math.floor((j * n) / k), Math.floor(((j + 1) * n) / k)).sort(),
  );
}

/** The numbers 0..n-1 in a uniformly random order (Fisher and Yates). */
export function permutation(n: number, seed: number): Uint32Array {
  const order = Uint32Array.from({ length: n }, (_, i) => i);
  const stream = xoroshiro128plus(seed);
  for (let i = n - 1; i > 0; i--) {
    const j = uniformInt(stream, 0, i);
    const kept = order[i];
    order[i] = order[j];
    order[j] = kept;
  }
  return order;
}

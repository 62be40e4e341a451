import type { Loss } from '../../losses/loss.ts';
import type { ColumnGroup } from '../../rows/about.ts';
import { entriesOf } from '../../rows/entries.ts';
import { hideEntries } from '../../rows/hide.ts';
import { type Rows, takeRows } from '../../rows/rows.ts';
import type { Partial } from '../../solvers/neighbours.ts';

/**
 * Copies of rows with some known entries hidden, different ones in each copy. Weights of neighbours are
 * learned from hidden entries alone, because only there the column's own score and its neighbours are as they
 * will be for an unknown entry.
 */
export interface Masked extends Partial {
  /** The hidden entries, NaN elsewhere: n x V. */
  readonly hidden: Float32Array;
  /** For each column, the rows in which it was hidden. */
  readonly hiddenIn: readonly Uint32Array[];
  /** The number of the original row of each copy. */
  readonly rows: Uint32Array;
}

export interface Masking {
  readonly copies: number;
  readonly hide: number;
  readonly seed: number;
  readonly groups?: readonly ColumnGroup[];
  /** The scores of all entries, from the known entries of each row: n x V. */
  readonly scoresOf: (rows: Rows) => Promise<Float32Array>;
}

/** The most entries, including copies, that are kept in memory. */
const MOST_ENTRIES = 2 ** 25;

/** Masks the rows, or as many evenly spaced ones as there is room for. */
export async function maskRows(given: Rows, masking: Masking): Promise<Masked> {
  const { hide, seed, groups, scoresOf } = masking;
  const { V } = given;
  const most = Math.max(1, Math.floor(MOST_ENTRIES / V));
  const count = Math.min(most, given.n * masking.copies);
  const step = Math.max(1, (given.n * masking.copies) / count);
  const rows = Uint32Array.from({ length: count }, (_, i) => Math.floor(i * step) % given.n);
  // Each copy has its own stream of random numbers, so that copies of a row hide different entries.
  const { shown, hidden } = hideEntries(takeRows(given, rows), hide, seed, groups);
  const entries = entriesOf(hidden);
  return {
    n: count,
    V,
    rows,
    hidden: entries,
    hiddenIn: rowsByColumn(entries, count, V),
    known: entriesOf(shown),
    scores: await scoresOf(shown),
  };
}

function rowsByColumn(hidden: Float32Array, n: number, V: number): Uint32Array[] {
  const counts = new Uint32Array(V);
  for (let k = 0; k < hidden.length; k++) if (!Number.isNaN(hidden[k])) counts[k % V]++;
  const lists = Array.from(counts, (count) => new Uint32Array(count));
  counts.fill(0);
  for (let i = 0, at = 0; i < n; i++) {
    for (let v = 0; v < V; v++, at++) if (!Number.isNaN(hidden[at])) lists[v][counts[v]++] = i;
  }
  return lists;
}

/** The largest reconstruction: float32 rounds to certainty at scores above 17, which are not certain. */
const SUREST = Math.fround(1 - 2 ** -24);

/**
 * The mean loss of a hidden entry, given reconstructions (n x V) of all entries; of all columns or of some.
 */
export function hiddenLoss(
  { n, V, hidden }: Pick<Masked, 'n' | 'V' | 'hidden'>,
  means: Float32Array,
  loss: Loss,
  columns: ArrayLike<number> = Uint32Array.from({ length: V }, (_, v) => v),
): number {
  let [sum, count] = [0, 0];
  for (let i = 0; i < n; i++) {
    for (let c = 0; c < columns.length; c++) {
      const at = i * V + columns[c];
      const x = hidden[at];
      if (Number.isNaN(x)) continue;
      const y = Math.max(-SUREST, Math.min(SUREST, means[at]));
      sum += ((1 + x) * loss.plus(y) + (1 - x) * loss.minus(y)) / 2;
      count++;
    }
  }
  return sum / count;
}

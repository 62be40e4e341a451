import type { Loss } from '../../losses/loss.ts';
import type { ColumnGroup } from '../../rows/about.ts';
import { hideEntries } from '../../rows/hide.ts';
import { type Rows, takeRows } from '../../rows/rows.ts';
import { entriesOf, type Partial } from '../../solvers/neighbours.ts';

/**
 * Rows some of whose known entries were hidden, several times over with other entries hidden each time.
 * Weights of neighbours are learned from the hidden entries alone: only there are own score and neighbours
 * what they will be for an entry that nobody knows.
 */
export interface Masked extends Partial {
  /** The hidden entries, NaN elsewhere: n x V. */
  readonly hidden: Float32Array;
  /** For each column, the rows in which it was hidden. */
  readonly hiddenIn: readonly Uint32Array[];
  /** Which of the rows that were given each row is. */
  readonly rows: Uint32Array;
}

export interface Masking {
  readonly copies: number;
  readonly hide: number;
  readonly seed: number;
  readonly groups?: readonly ColumnGroup[];
  /** The scores that a model gives to all entries of rows, by what is known of them: n x V. */
  readonly scoresOf: (rows: Rows) => Promise<Float32Array>;
}

/** At most so many entries, copies counted, are kept in memory. */
const MOST_ENTRIES = 2 ** 25;

/** The rows, or as many of them as there is room for, spread evenly. */
export async function maskRows(given: Rows, masking: Masking): Promise<Masked> {
  const { hide, seed, groups, scoresOf } = masking;
  const { V } = given;
  const most = Math.max(1, Math.floor(MOST_ENTRIES / V));
  const count = Math.min(most, given.n * masking.copies);
  const step = Math.max(1, (given.n * masking.copies) / count);
  const rows = Uint32Array.from({ length: count }, (_, i) => Math.floor(i * step) % given.n);
  // Each row has its own stream of random numbers: copies of a row hide other entries of it.
  const { shown, hidden } = hideEntries(takeRows(given, rows), hide, seed, groups);
  const entries = entriesOf(hidden);
  return {
    ...{ n: count, V, rows, hidden: entries, hiddenIn: rowsByColumn(entries, count, V) },
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

/** A float32 reconstruction is rounded to certainty at scores above 17; what it stands for is not certain. */
const SUREST = Math.fround(1 - 2 ** -24);

/** The mean loss of a hidden entry, given reconstructions (n x V) of all entries; of all columns or of some. */
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

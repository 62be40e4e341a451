import type { ColumnGroup } from './about.ts';
import { entry, type Rows } from './rows.ts';

/**
 * Scales reconstructions (n x V, in [-1, 1]) so that the probabilities of each group's values add up to one:
 * columns are decoded independently, but a row has exactly one of the values.
 */
export function normaliseGroups(
  decoded: Float32Array,
  V: number,
  groups: readonly ColumnGroup[],
): Float32Array {
  const out = decoded.slice();
  for (let at = 0; at < out.length; at += V) {
    for (const { first, values } of groups) {
      let sum = 0;
      for (let k = 0; k < values.length; k++) sum += (1 + decoded[at + first + k]) / 2;
      for (let k = 0; k < values.length; k++) {
        const share = sum > 0 ? (1 + decoded[at + first + k]) / 2 / sum : 1 / values.length;
        out[at + first + k] = 2 * share - 1;
      }
    }
  }
  return out;
}

/** The value of a group in row i (in reconstructions: the likeliest one); undefined if it is unknown. */
export function categoryOf(rows: Rows, i: number, group: ColumnGroup): string | undefined {
  let best: string | undefined;
  let most = Number.NEGATIVE_INFINITY;
  group.values.forEach((value, k) => {
    const x = entry(rows, i, group.first + k);
    if (x > most) [best, most] = [value, x];
  });
  return best;
}

/** For each column, its group, if it belongs to one. */
export function groupOfColumn(groups: readonly ColumnGroup[], V: number): (ColumnGroup | undefined)[] {
  const found = new Array<ColumnGroup | undefined>(V).fill(undefined);
  for (const group of groups) found.fill(group, group.first, group.first + group.values.length);
  return found;
}

/** The columns as a table of words has them: a group is one column. */
export function tableColumns(
  columns: readonly string[],
  groups: readonly ColumnGroup[],
): { readonly name: string; readonly group?: ColumnGroup }[] {
  const grouped = groupOfColumn(groups, columns.length);
  return columns.flatMap((name, v) => {
    const group = grouped[v];
    if (!group) return { name };
    return group.first === v ? { name: group.name, group } : [];
  });
}

import type { RowSource } from '../rows/source.ts';

/**
 * Refuses rows that do not have the model's number of columns or, if both are named, the same names in order.
 */
export function checkRows(
  { V, columns }: Pick<RowSource, 'V' | 'columns'>,
  source: Pick<RowSource, 'V' | 'columns'>,
  call: string,
): void {
  if (source.V !== V) {
    throw new RangeError(`${call}: the model was fitted to rows of ${V} columns, these have ${source.V}`);
  }
  const found = source.columns;
  if (!columns || !found) return;
  const other = columns.findIndex((name, v) => name !== found[v]);
  if (other < 0) return;
  throw new RangeError(
    `${call}: column ${other} of the rows is '${found[other]}', but the model was fitted to '${columns[other]}' ` +
      'there; open them with { like: model }, which finds columns by name',
  );
}

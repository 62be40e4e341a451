import { FormatError } from '../rows/errors.ts';
import { isBit } from './cells.ts';
import type { Cells, RecordSource } from './records.ts';

/** What spreadsheets leave at the ends of a text: lines and columns that hold nothing but what separates cells. */

/**
 * The same table without its empty lines, where the first cells of all others name them: no two are the same, none is
 * empty, and they are no bits. Elsewhere such a line may be a row of which nothing is known.
 */
export function withoutEmptyLines(
  source: RecordSource,
  sample: readonly (readonly unknown[])[],
): RecordSource {
  if (source.format !== 'csv' || source.columns) return source;
  const names = sample.slice(1).flatMap((record) => (isEmpty(record) ? [] : [record[0]]));
  if (names.includes('') || new Set(names).size < names.length || names.every((cell) => isBit(cell)))
    return source;
  return {
    ...source,
    async *batches() {
      for await (const batch of source.batches()) yield batch.filter((record) => !isEmpty(record));
    },
  };
}

/** Whether a line has several cells and nothing in them. */
export function isEmpty(record: Cells): boolean {
  return record.length > 1 && Array.prototype.every.call(record, (cell) => cell === '');
}

/** The same table without the last columns that have neither a name nor an entry, unless a model has such a column. */
export function withoutEmptyColumns(
  source: RecordSource,
  records: readonly unknown[][],
  known: readonly string[] = [],
): { table: RecordSource; records: readonly unknown[][] } {
  const { name, format, columns = [] } = source;
  let width = columns.length;
  while (width > 1 && columns[width - 1] === '' && records.every((record) => record[width - 1] === ''))
    width--;
  if (format !== 'csv' || width === columns.length || known.includes('')) return { table: source, records };
  let row = 0;
  const trimmed = (record: Cells): unknown[] => {
    row++;
    const cells = Array.from(record);
    const odd = cells.slice(width).find((cell) => cell !== '');
    if (odd === undefined) return cells.slice(0, width);
    const found = `found '${String(odd).slice(0, 40)}' in a column without a name, which is empty in the first rows`;
    throw new FormatError(name, `row ${row}`, `${found}: give it a name`);
  };
  const table: RecordSource = {
    ...source,
    columns: columns.slice(0, width),
    async *batches() {
      row = 0;
      for await (const batch of source.batches()) yield batch.map(trimmed);
    },
  };
  return { table, records: records.map((record) => record.slice(0, width)) };
}

import type { Rows } from '../../rows/rows.ts';
import type { RowSource } from '../../rows/source.ts';
import { idHeading, numberText, quoted, type WriteOptions, writtenValue } from '../write.ts';

export interface CsvOptions extends WriteOptions {
  readonly delimiter?: string;
}

/** A source as CSV: with names if it has them, 0 and 1 for bits, an empty cell for a missing entry. */
export function encodeCsv(source: RowSource, options: CsvOptions = {}): AsyncGenerator<Uint8Array> {
  return csvText(source, source.columns, options, (rows, i) =>
    Array.from({ length: rows.V }, (_, v) => {
      const x = writtenValue(rows, i, v, options);
      return Number.isNaN(x) ? '' : numberText(x);
    }),
  );
}

/**
 * A line for each row, which begins with its name if there are names, below a header if columns have names.
 */
export async function* csvText(
  source: RowSource,
  columns: readonly string[] | undefined,
  { delimiter = ',' }: CsvOptions,
  cellsOf: (rows: Rows, i: number) => readonly string[],
): AsyncGenerator<Uint8Array> {
  const { ids } = source;
  const encoder = new TextEncoder();
  const heads = columns && (ids ? [idHeading(ids, columns), ...columns] : columns);
  if (heads) yield encoder.encode(lineOf(heads.map(quoted).join(delimiter)));
  let row = 0;
  for await (const rows of source.chunks(1024)) {
    let text = '';
    for (let i = 0; i < rows.n; i++, row++) {
      const name = ids ? quoted(ids.at(row) ?? '') + delimiter : '';
      text += lineOf(name + cellsOf(rows, i).join(delimiter));
    }
    yield encoder.encode(text);
  }
}

/** A line of these cells. A lone empty cell stands in quotes, because an empty line is none. */
function lineOf(cells: string): string {
  return `${cells || '""'}\n`;
}

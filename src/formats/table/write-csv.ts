import type { Rows } from '../../rows/rows.ts';
import type { RowSource } from '../../rows/source.ts';
import { idHeading, numberText, quoted, type WriteOptions, writtenValue } from '../write.ts';

/** A CSV text of a source: names where it has them, 0 and 1 for bits, an empty cell for a missing entry. */
export async function* encodeCsv(
  source: RowSource,
  options: WriteOptions & { readonly delimiter?: string } = {},
): AsyncGenerator<Uint8Array> {
  const { delimiter = ',' } = options;
  const { columns, ids } = source;
  const encoder = new TextEncoder();
  if (columns)
    yield encoder.encode(
      `${[...(ids ? [idHeading(ids, columns)] : []), ...columns].map(quoted).join(delimiter)}\n`,
    );
  let row = 0;
  for await (const rows of source.chunks(1024)) {
    let text = '';
    for (let i = 0; i < rows.n; i++, row++) {
      const cells = rowCells(rows, i, options);
      text += `${ids ? quoted(ids.at(row) ?? '') + delimiter : ''}${cells.join(delimiter)}\n`;
    }
    yield encoder.encode(text);
  }
}

function rowCells(rows: Rows, i: number, options: WriteOptions): string[] {
  return Array.from({ length: rows.V }, (_, v) => {
    const x = writtenValue(rows, i, v, options);
    return Number.isNaN(x) ? '' : numberText(x);
  });
}

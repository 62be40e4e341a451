import type { RowSource } from '../../rows/source.ts';
import { idHeading, numberText, type WriteOptions, writtenValue } from '../write.ts';

/**
 * A source as JSON lines, with null for a missing entry. If its columns have names that objects keep in
 * order, each line is an object; otherwise an array of numbers, inside an object if rows have names.
 */
export async function* encodeJsonl(
  source: RowSource,
  options: WriteOptions = {},
): AsyncGenerator<Uint8Array> {
  const { ids, columns } = source;
  const keys = columns && isKept(columns) ? columns.map((name) => `${JSON.stringify(name)}:`) : undefined;
  const idKey = ids && `${JSON.stringify(idHeading(ids, keys ? columns : ['row']))}:`;
  const encoder = new TextEncoder();
  let row = 0;
  for await (const rows of source.chunks(1024)) {
    let text = '';
    for (let i = 0; i < rows.n; i++, row++) {
      const id = ids ? `${idKey}${JSON.stringify(ids.at(row))},` : '';
      const values = Array.from({ length: rows.V }, (_, v) => {
        const x = writtenValue(rows, i, v, options);
        return `${keys ? keys[v] : ''}${Number.isNaN(x) ? 'null' : numberText(x)}`;
      }).join();
      if (keys) text += `{${id}${values}}\n`;
      else text += id ? `{${id}"row":[${values}]}\n` : `[${values}]\n`;
    }
    yield encoder.encode(text);
  }
}

/** Whether an object keeps these names in order: each occurs once, and whole numbers come first, by size. */
function isKept(names: readonly string[]): boolean {
  const kept = Object.keys(Object.fromEntries(names.map((name) => [name, 0])));
  return kept.length === names.length && kept.every((name, k) => name === names[k]);
}

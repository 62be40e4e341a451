import { categoryOf, groupOfColumn } from '../../rows/groups.ts';
import { entry } from '../../rows/rows.ts';
import type { RowSource } from '../../rows/source.ts';
import { idHeading, numberText, quoted, type WriteOptions, writtenValue } from '../write.ts';

/**
 * A CSV text in the words that a table came with: the columns of each group are one column again, of the most likely
 * value. Other columns hold the likelier bit, by the words that stood for it, or numbers where `values` says so.
 */
export async function* encodeWords(
  source: RowSource,
  options: WriteOptions & { readonly delimiter?: string } = {},
): AsyncGenerator<Uint8Array> {
  const { delimiter = ',' } = options;
  const { ids, groups = [], V, schema } = source;
  const names = source.columns ?? Array.from({ length: V }, (_, v) => String(v));
  const group = groupOfColumn(groups, V);
  const kept = Array.from({ length: V }, (_, v) => v).filter((v) => !group[v] || group[v].first === v);
  const encoder = new TextEncoder();
  const columns = kept.map((v) => group[v]?.name ?? names[v]);
  if (source.columns || groups.length > 0) {
    const heads = [...(ids ? [idHeading(ids, columns)] : []), ...columns];
    yield encoder.encode(`${heads.map(quoted).join(delimiter)}\n`);
  }
  const words = names.map((name) => (Object.hasOwn(schema?.words ?? {}, name) ? schema?.words?.[name] : BIT));
  let row = 0;
  for await (const rows of source.chunks(1024)) {
    let text = '';
    for (let i = 0; i < rows.n; i++, row++) {
      const cells = kept.map((v) => {
        const within = group[v];
        if (within) return quoted(categoryOf(rows, i, within) ?? '');
        const x = options.values === undefined ? entry(rows, i, v) : writtenValue(rows, i, v, options);
        if (Number.isNaN(x)) return '';
        return options.values === undefined ? quoted((words[v] ?? BIT)[x > 0 ? 1 : 0]) : numberText(x);
      });
      text += `${ids ? quoted(ids.at(row) ?? '') + delimiter : ''}${cells.join(delimiter)}\n`;
    }
    yield encoder.encode(text);
  }
}

const BIT: readonly [string, string] = ['0', '1'];

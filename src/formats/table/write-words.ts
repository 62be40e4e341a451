import { categoryOf, groupOfColumn } from '../../rows/groups.ts';
import { entry } from '../../rows/rows.ts';
import type { RowSource } from '../../rows/source.ts';
import { numberText, quoted, writtenValue } from '../write.ts';
import { type CsvOptions, csvText } from './write-csv.ts';

/**
 * A source as CSV in the words of the original table. The columns of each group become one column again, with
 * the likeliest value. Other columns hold the likelier bit in its original words, or numbers if `values` says
 * so.
 */
export function encodeWords(source: RowSource, options: CsvOptions = {}): AsyncGenerator<Uint8Array> {
  const { groups = [], V, schema } = source;
  const names = source.columns ?? Array.from({ length: V }, (_, v) => String(v));
  const group = groupOfColumn(groups, V);
  const kept = Array.from({ length: V }, (_, v) => v).filter((v) => !group[v] || group[v].first === v);
  const columns = kept.map((v) => group[v]?.name ?? names[v]);
  const words = names.map((name) => (Object.hasOwn(schema?.words ?? {}, name) ? schema?.words?.[name] : BIT));
  return csvText(source, source.columns || groups.length > 0 ? columns : undefined, options, (rows, i) =>
    kept.map((v) => {
      const within = group[v];
      if (within) return quoted(categoryOf(rows, i, within) ?? '');
      const x = options.values === undefined ? entry(rows, i, v) : writtenValue(rows, i, v, options);
      if (Number.isNaN(x)) return '';
      return options.values === undefined ? quoted((words[v] ?? BIT)[x > 0 ? 1 : 0]) : numberText(x);
    }),
  );
}

const BIT: readonly [string, string] = ['0', '1'];

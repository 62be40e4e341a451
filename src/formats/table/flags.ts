import type { TableSchema } from '../../rows/schema.ts';
import { inQuotes, type Selection } from '../../rows/select.ts';
import { MISSING, ONES, ZEROS } from './cells.ts';
import { shellWord } from './question.ts';

/** A schema as the options of the command line that declare it. */
export function schemaFlags(schema: TableSchema): string {
  const { values, binarize, seed, layout, header, delimiter, idColumn, columns, categorical } = schema;
  const option = (flag: string, value: string | number | undefined) =>
    value === undefined ? [] : [`--${flag} ${shellWord(String(value))}`];
  const others = (words: readonly string[] = [], usual: readonly string[]) =>
    words.some((word) => !usual.includes(word))
      ? selectionText(words.filter((word) => !usual.includes(word)))
      : undefined;
  return [
    ...option('layout', layout),
    ...(header === undefined ? [] : [header ? '--header' : '--no-header']),
    ...option('delimiter', delimiter === '\t' ? '\\t' : delimiter),
    ...(idColumn === false ? ['--no-id-column'] : option('id-column', idColumn === true ? 0 : idColumn)),
    ...option('columns', columns && selectionText(columns)),
    ...(categorical === true
      ? ['--categorical']
      : option('categorical', categorical ? selectionText(categorical) : undefined)),
    ...option('variable', schema.variable),
    ...option('ones', others(schema.ones, ONES)),
    ...option('zeros', others(schema.zeros, ZEROS)),
    ...option('missing', others(schema.missing, MISSING)),
    ...option('values', values),
    ...(binarize === 'none' ? [] : option('binarize', binarize)),
    ...(binarize === 'sample' ? option('binarize-seed', seed) : []),
  ].join(' ');
}

/** A selection in text. */
function selectionText(selection: Selection): string {
  if (typeof selection === 'string') return selection;
  return Array.from(selection, (part) => inQuotes(String(part))).join();
}

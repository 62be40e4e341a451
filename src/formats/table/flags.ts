import type { TableSchema } from '../../rows/schema.ts';
import { inQuotes, type Selection, splitWords } from '../../rows/select.ts';
import type { OpenOptions } from '../options.ts';
import { MISSING, ONES, ZEROS } from './cells.ts';
import { shellWord } from './question.ts';

/** A schema, or what is said of one, as the options of the command line that declare it. */
export function schemaFlags(schema: TableSchema | OpenOptions): string {
  const { values, binarize, seed, layout, header, delimiter, idColumn, columns, categorical } = schema;
  const option = (flag: string, value: string | number | undefined) =>
    value === undefined ? [] : [`--${flag} ${shellWord(String(value))}`];
  const others = (words: OpenOptions['missing'] = [], usual: readonly string[]) => {
    const odd = [words]
      .flat()
      .map(String)
      .filter((word) => !usual.includes(word));
    return odd.length > 0 ? selectionText(odd) : undefined;
  };
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
    ...option('genotypes', schema.genotypes),
    ...option('ones', others(schema.ones, ONES)),
    ...option('zeros', others(schema.zeros, ZEROS)),
    ...option('missing', others(schema.missing, MISSING)),
    ...option('values', values),
    // Only grey levels do not stay as they are by themselves.
    ...(binarize === 'none' && values !== undefined && values !== 'bytes'
      ? []
      : option('binarize', binarize)),
    ...(binarize === 'sample' ? option('binarize-seed', seed) : []),
  ].join(' ');
}

/** A selection in text. */
function selectionText(selection: Selection): string {
  if (typeof selection === 'string') return selection;
  return Array.from(selection, (part) => inQuotes(String(part))).join();
}

/** The options of a line that an error proposes, such as `--ones x --zeros ''`, for programs that ask. */
export function optionsOfFlags(line: string): OpenOptions {
  const options: Record<string, unknown> = {};
  const words = shellWords(line);
  while (words.length > 0) {
    const flag = words.shift()!;
    const value = words.length > 0 && !words[0].startsWith('--') ? words.shift()! : undefined;
    const read = FLAGS[flag];
    if (!read) throw new RangeError(`flags: ${flag} is not an option of reading a table`);
    Object.assign(options, read(value));
  }
  return options;
}

const FLAGS: Readonly<Record<string, (value?: string) => OpenOptions>> = {
  '--header': () => ({ header: true }),
  '--no-header': () => ({ header: false }),
  '--no-id-column': () => ({ idColumn: false }),
  '--id-column': (name = '0') => ({ idColumn: name }),
  '--delimiter': (mark = ',') => ({ delimiter: mark === '\\t' ? '\t' : mark }),
  '--layout': (layout) => ({ layout: layout as OpenOptions['layout'] }),
  '--columns': (columns) => ({ columns }),
  '--categorical': (columns) => ({ categorical: columns ?? true }),
  '--variable': (variable) => ({ variable }),
  '--genotypes': (coding) => ({ genotypes: coding as OpenOptions['genotypes'] }),
  '--ones': (words = '') => ({ ones: splitWords(words) }),
  '--zeros': (words = '') => ({ zeros: splitWords(words) }),
  '--missing': (words = '') => ({ missing: splitWords(words) }),
  '--values': (values) => ({ values: values as OpenOptions['values'] }),
  '--binarize': (binarize) => ({ binarize: binarize as OpenOptions['binarize'] }),
  '--binarize-seed': (seed) => ({ seed: Number(seed) }),
};

/** The words of a line as `shellWord` writes them. */
function shellWords(line: string): string[] {
  const words = line.match(/(?:'[^']*'|\\'|[^\s'\\])+/g) ?? [];
  return words.map((word) =>
    word.replace(/'([^']*)'|\\'/g, (escaped, inside?: string) => (escaped === "\\'" ? "'" : inside!)),
  );
}

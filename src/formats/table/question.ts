import { FormatError } from '../../rows/errors.ts';
import type { TableSchema } from '../../rows/schema.ts';
import { allBut, inQuotes, type Selection } from '../../rows/select.ts';
import { MISSING, ONES, ZEROS } from './cells.ts';

/** What a table leaves open: the place that shows it, and the readings that are possible, each with the flags for it. */
export interface Question {
  readonly place: string;
  readonly found: string;
  readonly candidates: readonly Candidate[];
}

export interface Candidate {
  /** What to type, on the command line or as options of the same names. */
  readonly flags: string;
  readonly reading: string;
}

/** The error that asks. */
export function asked(file: string, { place, found, candidates }: Question): FormatError {
  const choices = candidates.map(({ flags, reading }) => `${flags} (${reading})`);
  const last = choices.pop();
  const all = choices.length > 0 ? `${choices.join(', ')} or ${last}` : last;
  return new FormatError(file, place, `${found}. Say ${all}.`);
}

/** A schema as the options of the command line that declare it. */
export function schemaFlags(schema: Partial<TableSchema>): string {
  const { values, binarize, seed, layout, header, delimiter, idColumn, columns, categorical } = schema;
  const flags: string[] = [];
  const add = (flag: string, value: string | undefined) => {
    if (value !== undefined) flags.push(`--${flag} ${shellWord(value)}`);
  };
  const list = (words: readonly string[] = [], usual: readonly string[]) => {
    const others = words.filter((word) => !usual.includes(word));
    return others.length > 0 ? others.map(inQuotes).join() : undefined;
  };
  add('layout', layout);
  if (header !== undefined) flags.push(header ? '--header' : '--no-header');
  add('delimiter', delimiter === '\t' ? '\\t' : delimiter);
  if (idColumn === false) flags.push('--no-id-column');
  else if (idColumn !== undefined) add('id-column', idColumn === true ? '0' : String(idColumn));
  if (columns !== undefined) add('columns', selectionText(columns));
  if (categorical === true) flags.push('--categorical');
  else if (categorical) add('categorical', selectionText(categorical));
  add('variable', schema.variable);
  add('ones', list(schema.ones, ONES));
  add('zeros', list(schema.zeros, ZEROS));
  add('missing', list(schema.missing, MISSING));
  add('values', values);
  if (binarize !== undefined && binarize !== 'none') add('binarize', binarize);
  if (binarize === 'sample') add('binarize-seed', String(seed));
  return flags.join(' ');
}

/** The flag that leaves a column out, by its name or number. */
export function leaveOut(column: string | number): Candidate {
  return { flags: `--columns ${shellWord(allBut(column))}`, reading: 'leave the column out' };
}

/** A column as a flag names it. */
export function columnFlag(v: number, names: readonly string[] | undefined): string {
  return shellWord(names?.[v] ? inQuotes(names[v]) : String(v));
}

/** A selection in text. */
export function selectionText(selection: Selection): string {
  if (typeof selection === 'string') return selection;
  return Array.from(selection, (part) => inQuotes(String(part))).join();
}

/** A word as a shell takes it for one. */
export function shellWord(text: string): string {
  return /^[\w.,:=/@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

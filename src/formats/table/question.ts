import { CATEGORIES } from '../../rows/census.ts';
import { type Candidate, FormatError } from '../../rows/errors.ts';
import { inQuotes } from '../../rows/select.ts';
import { columnPlace } from '../../rows/values.ts';
import { folded, shown } from './cells.ts';
import type { Body, Row } from './records.ts';

/** A question that a table leaves open: where it arises, and the possible readings with their flags. */
export interface Question {
  readonly place: string;
  readonly found: string;
  readonly candidates: readonly Candidate[];
}

export function say(flags: string, reading: string): Candidate {
  return { flags, reading };
}

/** The question as an error. */
export function asked(file: string, { place, found, candidates }: Question): FormatError {
  const choices = candidates.map(({ flags, reading }) => `${flags} (${reading})`);
  const last = choices.pop();
  const say = last ? `. Use ${[choices.join(', '), last].filter(Boolean).join(' or ')}.` : '';
  return new FormatError(file, place, found + say, undefined, candidates);
}

export const MARK = 'it marks a one, an empty cell is a zero';

/** Asks what a cell means that holds neither a number nor a word for a bit. */
export function cellQuestion(cell: unknown, row: number, v: number, body: Body): Question {
  const { columns: names, rows, read, typed, part } = body;
  const place = `row ${row + 1}, ${columnPlace(v, names)}`;
  if (part.values === 'numbers')
    return { place, found: `found '${shown(cell)}', expected a number`, candidates: [] };
  const textOf = (record: Row) => folded(shown(record[v]));
  const isWord = (record: Row) => read(record[v]) === undefined;
  // The first line may be a header if nothing was declared about it.
  const heads =
    row === 0 && !names && !typed && !rows.slice(1).some((record) => textOf(record) === textOf(rows[0]));
  const below = heads ? rows.slice(1) : rows;
  const texts = [...new Set(below.filter(isWord).map(textOf))].sort().map(wordFlag);
  const words = below.every((record) => isWord(record) || Number.isNaN(read(record[v])));
  const width = rows[0].length;
  const repeated = new Set(below.map((record) => record[0])).size < below.length;
  const header = heads ? '--header ' : '';
  const candidates = [
    width === 1 && !typed && say('--delimiter', 'what separates the cells'),
    heads && say('--header', 'the first line names the columns'),
    words &&
      texts.length === 1 &&
      below.some((record) => !isWord(record)) &&
      say(`${header}--ones ${texts[0]} --zeros ''`, MARK),
    words &&
      texts.length === 2 &&
      say(`${header}--ones ${texts[1]} --zeros ${texts[0]}`, 'the column is a bit with these words'),
    (width === 2 || (width === 3 && repeated)) && say('--layout long', 'each line is a row and its item'),
    width === 2 && say('--layout items', 'each line lists the items of a row'),
    CATEGORIES,
    v === 0 && naming(v, names),
    say(`--missing ${wordFlag(shown(cell).trim())}`, 'it is a missing entry'),
    leaveOut(v, names),
  ].filter((candidate) => candidate !== false);
  const repeats = saidAgain(row, v, body) ? REPEATED : '';
  return { place, found: `found '${shown(cell)}', which is not a bit${repeats}`, candidates };
}

/**
 * Whether this row, or the one before the others, names columns twice: without it, the column has numbers.
 */
function saidAgain(row: number, v: number, { columns: names, rows, read }: Body): boolean {
  const line = names ?? rows[row].map(shown);
  const isLine = (record: Row) => record.every((cell, k) => shown(cell) === line[k]);
  const others = rows.filter((record) => !isLine(record));
  const times = rows.length - others.length + (names ? 1 : 0);
  return times > 1 && others.length > 0 && others.every((record) => read(record[v]) !== undefined);
}

const REPEATED =
  ', and a later line repeats the first: if files with names of columns were joined, remove it';

/** The reading that leaves a column out. */
export function leaveOut(v: number, names?: readonly string[]): Candidate {
  return say(`--columns ${shellWord(`all but ${columnText(v, names)}`)}`, 'leave the column out');
}

/** The reading that takes a column as the names of rows. */
export function naming(v: number, names: readonly string[] = []): Candidate {
  const column = isOwn(v, names) ? names[v] : String(v);
  return say(`--id-column ${shellWord(column)}`, 'it names the rows');
}

/** Whether a column has a name that no other has. */
function isOwn(v: number, names: readonly string[]): boolean {
  return !!names[v] && names.indexOf(names[v]) === names.lastIndexOf(names[v]);
}

/** A column by its name or, if it is not unique, by its number. */
function columnText(v: number, names: readonly string[] = []): string {
  if (isOwn(v, names)) return inQuotes(names[v]);
  return names.includes(String(v)) ? `${v}:${v + 1}` : String(v);
}

/** A word of a list, as a user types it. */
export function wordFlag(word: string): string {
  return shellWord(inQuotes(word));
}

/** A word, quoted for a shell if necessary. */
export function shellWord(text: string): string {
  return /^[\w.,:=/@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

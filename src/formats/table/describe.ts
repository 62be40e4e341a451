import type { TableSchema } from '../../rows/schema.ts';
import { columnPlace } from '../../rows/values.ts';
import { type CellReader, cellReader, shown } from './cells.ts';
import {
  categoryColumns,
  type Known,
  placesOf,
  speaksOfFirst,
  speaksOfNames,
  takenColumns,
} from './columns.ts';
import { describeList, holdsLists } from './lists.ts';
import { type Candidate, columnFlag, leaveOut, type Question, shellWord } from './question.ts';
import { columnNames, isShorter } from './records.ts';

/** What is said about a table, by options, a schema or a model. */
export interface Said extends Partial<TableSchema> {
  readonly known?: Known;
}

/** The first records of a table. */
export interface Sample {
  readonly name: string;
  readonly records: readonly (readonly unknown[])[];
  /** The names of the columns, where the format has a place for them. */
  readonly columns?: readonly string[];
  /** Whether the format tells words from numbers, as Parquet does and text does not. */
  readonly typed: boolean;
}

/** The rows of a sample, below its header. */
export interface Body {
  readonly file: string;
  readonly names: readonly string[] | undefined;
  readonly rows: readonly (readonly unknown[])[];
  readonly read: CellReader;
}

/** The part of a schema that is about cells. */
export type TablePart = Partial<TableSchema>;

/**
 * How a table is to be read: the one way that is possible, or what it leaves open. Concluded are a header where the first
 * line cannot be data, and that a first column of words, no two the same, names the rows. A table that is not one of bits
 * or probabilities has to be declared.
 */
export function describeTable(sample: Sample, said: Said): TablePart | Question {
  const { records, name } = sample;
  const { known, ...rest } = said;
  const read = cellReader(said);
  const lines = said.layout === 'items' && !sample.columns;
  const conclude = () => !lines && concludeHeader(sample, said, read);
  const header = sample.typed ? undefined : (said.header ?? conclude());
  if (typeof header === 'object') return header;
  const part: TablePart = { ...rest, ...(header !== undefined && { header }) };
  if (lines) return part;
  const names = header ? columnNames(name, records) : sample.columns;
  const rows = header ? records.slice(1) : records;
  const ragged = rows.findIndex((record) => record.length !== rows[0].length);
  if (ragged > 0) return raggedQuestion(rows, ragged);
  const body: Body = { file: name, names, rows, read };
  if (rows.length === 0) return part;
  if (holdsLists(rows, names, known)) return describeList(body, part);
  if (said.layout === 'long') return describePairs(body, part);
  if (said.layout === 'items') return part;
  const idColumn = said.idColumn ?? concludeId(sample, body, said, header === true && isShorter(records));
  const wide: TablePart = { ...part, layout: 'wide', idColumn };
  return wideQuestion(body, wide, said) ?? wide;
}

export function isQuestion(described: TablePart | Question): described is Question {
  return 'candidates' in described;
}

/** Whether the first line names the columns: what is said speaks of them by name, or a word stands above data. */
function concludeHeader({ records }: Sample, said: Said, read: CellReader): boolean | Question {
  const [first, ...rows] = records;
  const cells = first.map((cell) => String(cell).trim());
  if ([said.idColumn, said.columns, said.categorical].some((x) => speaksOfNames(x, cells))) return true;
  if (said.layout !== 'long' && placesOf(said.known?.columns, cells)) return true;
  if (hasHeader(records, read)) return true;
  const words = first.flatMap((cell, v) => (read(cell) === undefined ? [v] : []));
  if (words.some((v) => rows.some((row) => String(row[v]).trim() === cells[v]))) return false;
  // Categories have names: their first line is one unless it is said that it is not.
  if (words.length === first.length && said.categorical) return true;
  const open = said.layout === 'long' ? words.length === first.length : mayName(first, rows, said, read);
  const line = `'${cells.slice(0, 4).join(', ')}${cells.length > 4 ? ', …' : ''}'`;
  const found = `${line} may name the columns or be a row`;
  const odd = said.values === undefined && first.map(read).some((x) => !isBit(x));
  return open && { place: 'row 1', found, candidates: odd ? NUMBERS : HEADER };
}

/** Whether a first line cannot be data: one of its words stands above numbers, and above nothing else. */
export function hasHeader(records: readonly (readonly unknown[])[], read: CellReader): boolean {
  const [first, ...rows] = records;
  const shift = isShorter(records) ? 1 : 0;
  if (rows.length === 0) return first.every((cell) => read(cell) === undefined);
  return first.some((cell, v) => {
    if (read(cell) !== undefined) return false;
    const below = rows.map((row) => row[v + shift]);
    // Rows may be called by letters that stand for bits elsewhere.
    if (v === 0 && below.every(isLetter) && new Set(below).size === below.length) return false;
    const numbers = below.map(read);
    return numbers.some((x) => !Number.isNaN(x)) && !numbers.includes(undefined);
  });
}

function isNumeral(cell: unknown): boolean {
  return cell !== '' && !Number.isNaN(Number(cell));
}

function isLetter(cell: unknown): boolean {
  return /^\s*[a-z]\s*$/i.test(String(cell));
}

const HEADER: readonly Candidate[] = [
  { flags: '--header', reading: 'it names the columns' },
  { flags: '--no-header', reading: 'it is a row' },
];

const NUMBERS: readonly Candidate[] = [
  ...HEADER.slice(0, 1),
  { flags: '--values presence', reading: 'it is a row of counts' },
  { flags: '--values bytes', reading: 'it is a row of grey levels' },
];

/**
 * Whether a first line that could be data may be names all the same: others than bits above bits, words above numbers or,
 * where numbers of any size are data, rising ones.
 */
function mayName(
  first: readonly unknown[],
  rows: readonly (readonly unknown[])[],
  { values }: Said,
  read: CellReader,
): boolean {
  const numbers = first.map(read).filter((x) => x !== undefined && !Number.isNaN(x)) as number[];
  const rising = numbers.every((x, k) => Number.isInteger(x) && x > (numbers[k - 1] ?? -1));
  if (values !== undefined) return numbers.length > 2 && rising;
  const isAbove = (cell: unknown, v: number) =>
    !isNumeral(cell) && !Number.isNaN(read(cell) ?? Number.NaN) && rows.every((row) => isNumeral(row[v]));
  if (rows.length === 0) return false;
  const odd = !numbers.every(isBit) && rows.every((row) => row.map(read).every(isBit));
  return odd || first.some(isAbove);
}

/** Whether a number could be an entry without anything being said about it. */
function isBit(x: number | undefined): boolean {
  return x === undefined || Number.isNaN(x) || (x >= -1 && x <= 1);
}

/** The column that names the rows: that of a model, or a first one of words, no two the same, of which nobody speaks. */
function concludeId(
  { typed }: Sample,
  { names, rows, read }: Body,
  { known, columns, categorical }: Said,
  shorter: boolean,
): string | number | false {
  const before = known?.idColumn;
  if (typeof before === 'number' || (typeof before === 'string' && names?.includes(before))) return before;
  const id = names?.[0] && names.indexOf(names[0], 1) < 0 ? names[0] : 0;
  if (shorter) return id;
  const spoken = [columns, categorical].some((said) => speaksOfFirst(said, names, rows[0].length));
  if (rows[0].length < 2 || spoken || (names && known?.columns?.includes(names[0]))) return false;
  const cells = rows.map((record) => record[0]);
  if (new Set(cells).size < cells.length || cells.some((cell) => Number.isNaN(read(cell)))) return false;
  // Where a format tells words from numbers, numerals that are words are names too.
  const isWord = (cell: unknown) =>
    typed
      ? typeof cell === 'string' && (read(cell) === undefined || isNumeral(cell))
      : read(cell) === undefined;
  return cells.some(isWord) && cells.every((cell) => isWord(cell) || isLetter(cell)) ? id : false;
}

/** What a wide table leaves open, by its first rows. */
function wideQuestion(body: Body, part: TablePart, said: Said): Question | undefined {
  const { file, names, rows, read } = body;
  const taken = takenColumns(file, names, rows[0].length, part, said.known);
  // What a model needs and a table does not have is an error of its own.
  if (said.known?.columns && names && taken.all) return undefined;
  const categories = categoryColumns(names, rows[0].length, part.categorical);
  for (const v of taken.take) {
    if (!categories || categories.has(v) || said.known?.categories?.includes(names?.[v] ?? '')) continue;
    const row = rows.findIndex((record) => read(record[v]) === undefined);
    if (row >= 0) return cellQuestion(rows[row][v], row, v, body);
    if (names?.[v] !== '' || v === 0 || rows.some((record) => record[v] !== '')) continue;
    const found = 'has neither a name nor an entry';
    return { place: columnPlace(v), found, candidates: [leaveOut(v)] };
  }
  if (names?.[0] === '' && said.idColumn === undefined && taken.take.includes(0) && !categories?.has(0))
    return { place: columnPlace(0), found: 'has no name', candidates: UNNAMED };
  const unsaid = said.values === undefined && said.idColumn === undefined && taken.id === undefined;
  const open = unsaid && taken.all && !categories?.has(0);
  return open ? numberedQuestion(body) : undefined;
}

const UNNAMED: readonly Candidate[] = [
  { flags: '--id-column 0', reading: 'it names the rows' },
  { flags: '--no-id-column', reading: 'it is data' },
];

/** A first column of whole numbers beside bits may name the rows. */
function numberedQuestion({ names, rows, read }: Body): Question | undefined {
  const first = rows.map((record) => read(record[0]));
  if (rows[0].length < 2 || !first.every(Number.isInteger) || first.every(isBit)) return undefined;
  if (!rows.every((record) => record.slice(1).every((cell) => isBit(read(cell))))) return undefined;
  const column = columnFlag(0, names);
  const naming = { flags: `--id-column ${column}`, reading: 'it names the rows' };
  return {
    place: columnPlace(0, names),
    found: `holds ${first.find((x) => !isBit(x))} and other whole numbers beside columns of bits`,
    candidates: [
      ...(new Set(first).size === first.length ? [naming] : []),
      leaveOut(names?.[0] || 0),
      { flags: `--categorical ${column}`, reading: 'it is a category' },
      { flags: '--values presence', reading: 'all numbers are counts' },
    ],
  };
}

/** A cell that holds neither a number nor a word for a bit, and what it may be. */
export function cellQuestion(cell: unknown, row: number, v: number, { names, rows, read }: Body): Question {
  const column = columnFlag(v, names);
  const textOf = (record: readonly unknown[]) => shown(record[v]).trim();
  const isWord = (record: readonly unknown[]) => read(record[v]) === undefined;
  // A first line that nobody called a header may be one.
  const below = rows.slice(1);
  const heads = row === 0 && !names && !below.some((record) => textOf(record) === textOf(rows[0]));
  const body = heads ? below : rows;
  const texts = [...new Set(body.filter(isWord).map(textOf))].sort().map(shellWord);
  const words = body.every((record) => isWord(record) || Number.isNaN(read(record[v])));
  const gaps = body.some((record) => record[v] === '' || record[v] === null || record[v] === undefined);
  const width = rows[0].length;
  const repeated = new Set(body.map((record) => record[0])).size < body.length;
  const candidates: Candidate[] = [];
  const add = (flags: string, reading: string) => candidates.push({ flags, reading });
  if (width === 1) add('--delimiter', 'what separates the cells');
  if (heads) add('--header', 'the first line names the columns');
  const first = heads ? '--header ' : '';
  if (words && texts.length === 1 && gaps)
    add(`${first}--ones ${texts[0]} --zeros ''`, 'it marks a one, an empty cell is a zero');
  if (words && texts.length === 2)
    add(`${first}--ones ${texts[1]} --zeros ${texts[0]}`, 'the column is a bit with these words');
  if (width === 2 || (width === 3 && repeated)) add('--layout long', 'each line is a row and its item');
  if (width === 2) add('--layout items', 'each line lists the items of a row');
  add(`--categorical ${column}`, 'its words are categories');
  if (v === 0) add(`--id-column ${column}`, 'it names the rows');
  add(`--missing ${shellWord(shown(cell).trim())}`, 'it is a missing entry');
  candidates.push(leaveOut(names?.[v] || v));
  const found = `found '${shown(cell)}', which is not a bit`;
  return { place: `row ${row + 1}, ${columnPlace(v, names)}`, found, candidates };
}

/** Where a long table has its rows and its items: in two columns, or three with numbers in the last, or as it is said. */
function describePairs({ rows, read }: Body, part: TablePart): TablePart | Question {
  const width = rows[0].length;
  const plain = width === 2 || (width === 3 && rows.every((record) => read(record[2]) !== undefined));
  if (plain || part.columns !== undefined) return part;
  const flags = '--id-column ROW --columns ITEM';
  const found = `has ${width} columns, of which a long table needs the one of the rows and the one of the items`;
  return { place: '', found, candidates: [{ flags, reading: 'their names or numbers' }] };
}

/** Lines of several lengths are not a table. */
function raggedQuestion(rows: readonly (readonly unknown[])[], row: number): Question {
  return {
    place: `row ${row + 1}`,
    found: `has ${rows[row].length} cells, and row 1 has ${rows[0].length}`,
    candidates: [{ flags: '--layout items', reading: 'each line lists the items of a row' }],
  };
}

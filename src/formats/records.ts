import { FormatError } from '../rows/errors.ts';
import { expandCategories } from './categories.ts';
import {
  answerBit,
  cellNumber,
  isBit,
  isColumnName,
  looksLikeHeader,
  mayName,
  namesAnswers,
} from './cells.ts';
import { withoutEmptyColumns, withoutEmptyLines } from './edges.ts';
import { tried } from './ids.ts';
import { placesOf, refuseLacking, refuseTwins } from './like.ts';
import { findList, isRagged, openLines, openList, refuseBaskets, refuseLists } from './lists.ts';
import { openPairs } from './long.ts';
import { markBit, withMarks } from './marks.ts';
import type { FormatName, OpenedSource, OpenOptions } from './options.ts';
import { longAdvice, pairPlaces, withPlaces } from './pairs.ts';
import { openWide } from './wide.ts';

/** A table of cells: what CSV, Parquet, Arrow and JSON lines have in common. */
export interface RecordSource {
  readonly name: string;
  readonly format: FormatName;
  /** The names of its columns, where the format has a place for them. */
  readonly columns?: readonly string[];
  /** What the column is called that names the rows, where the others have no names. */
  readonly idColumn?: string;
  /** The word that marked a one, in columns that hold bits by now. */
  readonly mark?: string;
  /** All records from the first on, some at a time; can be started as often as one likes. */
  batches(): AsyncIterable<readonly Cells[]>;
}

export type Cells = ArrayLike<unknown>;

/** How many records are looked at to find out how a table is laid out. */
const SAMPLE = 1000;

/**
 * Finds out how the table is laid out: a column for each bit; a line `row,item` for each one; or a column that
 * holds lists, of items or of numbers. That lines list items has to be said.
 */
export async function openRecords(given: RecordSource, options: OpenOptions): Promise<OpenedSource> {
  const { name } = given;
  const lines = await takeSample(given);
  if (lines.length === 0) throw new FormatError(name, '', 'is empty');
  const listed = options.header ? withoutFirst(given) : given;
  if (options.layout === 'items' && !given.columns) return openLines(listed, options);
  const source = withoutEmptyLines(given, lines);
  const sample = source === given ? lines : await takeSample(source);
  if (isRagged(source, sample, options)) {
    if (options.layoutIfUnclear === 'items') return openLines(listed, options);
    refuseLists(name, sample);
  }
  const headed = withNames(source, sample, options);
  const rows = headed === source ? sample : sample.slice(1);
  const { table: named, records } = withoutEmptyColumns(headed, rows, options.vocabulary);
  if (records.length === 0) throw new FormatError(name, '', 'has names of columns but no rows');
  if (options.present !== undefined) return openMarked(named, records, options.present, options);
  const { vocabulary, groups: known } = options;
  // Of names alone, a wide table need not have all; a model says how many columns it has, and needs them.
  const needed = options.width === undefined ? undefined : vocabulary;
  if (needed && named.columns && options.columns === undefined)
    refuseTwins(name, needed, named.columns, known);
  if (options.categorical || known) {
    if (needed && known && named.columns) refuseLacking(name, needed, named.columns, known);
    const { table, groups, id } = await expandCategories(named, records, options);
    const first = (await takeSample(table)).slice(0, 1);
    const rest = { ...options, columns: undefined, idColumn: id ? 0 : false };
    return { ...(await openWide(table, first, rest)), groups };
  }
  if (placesOf(vocabulary, named.columns)) return openWide(named, records, options);
  const list = findList(named, records, options);
  if (list !== undefined) return openList(named, records, list, options);
  if (options.layout === 'items')
    throw new FormatError(name, '', 'has columns, but none that holds lists: leave --layout items out');
  if (!isLong(records, options)) {
    if (needed && named.columns)
      refuseLacking(name, needed, named.columns, undefined, longAdvice(records, named.columns));
    return openWide(named, records, options);
  }
  refuseBaskets(named, records, options);
  const { places, rest } = pairPlaces(named, records, options);
  const pairs = sample.map((record) => places.map((v) => record[v]));
  const heads = headed === source && options.header === undefined && firstPairNames(source, pairs, options);
  if (heads && sample.length === 1) throw new FormatError(name, '', 'has names of columns but no rows');
  const table = heads ? namesApart(source, sample, options) : named;
  return openPairs(withPlaces(table, records[0].length, places), rest);
}

/** Opens a table with its marks as bits. */
async function openMarked(
  named: RecordSource,
  records: readonly unknown[][],
  present: string,
  options: OpenOptions,
): Promise<OpenedSource> {
  const table = withMarks(named, records, present, options);
  const opened = await openRecords(table, { ...options, present: undefined, header: false });
  return { ...opened, schema: { ...opened.schema, ones: [present], zeros: [''] } };
}

async function takeSample(source: RecordSource): Promise<unknown[][]> {
  const sample: unknown[][] = [];
  for await (const batch of source.batches()) {
    for (const record of batch.slice(0, SAMPLE - sample.length)) sample.push(Array.from(record));
    if (sample.length === SAMPLE) break;
  }
  return sample;
}

/** Where the first record of a text is its names: the same table with its names apart. */
function withNames(source: RecordSource, sample: readonly unknown[][], options: OpenOptions): RecordSource {
  const named = !source.columns && (options.header ?? isHeaded(source.name, sample, options));
  return named ? namesApart(source, sample, options) : source;
}

/** Whether the first record names the columns, where nobody says it. An error where it may as well be a row. */
function isHeaded(file: string, sample: readonly unknown[][], options: OpenOptions): boolean {
  const { present, missing, idColumn, columns, layout, values, valuesIfUnclear, vocabulary } = options;
  if (options.categorical !== undefined || options.groups !== undefined) return true;
  const bit = (cell: unknown) => (present === undefined ? cell : markBit(cell, present) || cell);
  const [first, second] = sample.slice(0, 2).map((record) => record.map(bit));
  if (typeof idColumn === 'string' && Number.isNaN(Number(idColumn)) && first.includes(idColumn)) return true;
  const others = sample.slice(1);
  const isWord = (name: string) => cellNumber(name) === undefined && answerBit(name) === undefined;
  const mayCount = mayName(first, others, missing);
  // The names of a model's columns, unless they are numbers that could be a row of bits.
  if (layout !== 'long' && (vocabulary?.some(isWord) || mayCount) && placesOf(vocabulary, first.map(String)))
    return true;
  // The third cell of a long row is a number, unless numbers say where its item is.
  const numbered = columns !== undefined && tried(columns, undefined, first.length);
  if (layout === 'long' && first.length > 2 && cellNumber(first[2]) === undefined && !numbered) return true;
  if (layout !== 'long' && namesAnswers(first, others)) return true;
  const said = (values ?? valuesIfUnclear) !== undefined;
  if (looksLikeHeader(first, second, missing, said)) return true;
  if (second?.length === first.length + 1) return looksLikeHeader(first, second.slice(1), missing);
  if (!said || !mayCount || vocabulary) return false;
  const found = `'${first.slice(0, 4).join(', ')}${first.length > 4 ? ', …' : ''}'`;
  throw new FormatError(
    file,
    'row 1',
    `${found} may name the columns or be a row: say --header or --no-header`,
  );
}

/** The same table without its first record, whose cells are the names. */
function namesApart(
  source: RecordSource,
  sample: readonly unknown[][],
  { layout }: OpenOptions,
): RecordSource {
  return { ...withoutFirst(source), columns: columnNames(source.name, sample, layout) };
}

/** The same table without its first record. */
function withoutFirst(source: RecordSource): RecordSource {
  return {
    ...source,
    async *batches() {
      let skipped = false;
      for await (const batch of source.batches()) {
        yield skipped || batch.length === 0 ? batch : batch.slice(1);
        skipped ||= batch.length > 0;
      }
    },
  };
}

/**
 * The cells of a first line as the names of all columns. R gives none to the column that names the rows: its first lines
 * are one cell shorter than all others.
 */
function columnNames(
  file: string,
  [first, ...rows]: readonly unknown[][],
  layout: OpenOptions['layout'],
): string[] {
  const names = first.map((cell) => String(cell).trim());
  const width = rows[0]?.length ?? names.length;
  if (names.length === width) return names;
  const found = `the first line names ${names.length} columns, but row 1 has ${width} cells`;
  const same = names.length === width - 1 && rows.every((row) => row.length === width);
  // The lines of a long table may leave out the value.
  if (!same && layout === 'long') return names;
  if (!same) throw new FormatError(file, '', found);
  if (rows.some((row) => row[width - 1] !== '')) return ['', ...names];
  const advice = 'take what separates the cells off the ends of the lines';
  throw new FormatError(file, '', `${found}, the last one empty in each row: ${advice}`);
}

function isLong(sample: readonly unknown[][], options: OpenOptions): boolean {
  if (options.layout) return options.layout === 'long';
  if (options.values || options.idColumn !== undefined || options.columns !== undefined) return false;
  return sample[0].length === 2 && !sample.every((record) => isBit(record[1], options.missing));
}

/**
 * Whether the first of pairs of words names the columns. It does not if one of its words comes again or a model knows its
 * item; it does if both are words that columns are called by, or if a model knows the items of all others. Otherwise
 * nobody can know, and a row must not be lost by a guess.
 */
function firstPairNames(
  source: RecordSource,
  sample: readonly unknown[][],
  { vocabulary, ignoreUnknown }: OpenOptions,
): boolean {
  if (source.columns) return false;
  const [first, ...others] = sample;
  const words = first.slice(0, 2);
  if (words.some((cell) => cellNumber(cell) !== undefined)) return false;
  const known = new Set(vocabulary);
  const isKnown = ([, item]: readonly unknown[]) => known.has(String(item).trim());
  if (isKnown(first) || others.some(([row, item]) => row === first[0] || item === first[1])) return false;
  if (words.every((cell) => isColumnName(String(cell)))) return true;
  // Where unknown items are left out, the first may be one of them.
  if (!ignoreUnknown && others.length > 0 && others.every(isKnown)) return true;
  throw new FormatError(
    source.name,
    'row 1',
    `'${first[0]}, ${first[1]}' may name the columns or be a row and its item: say --header or --no-header`,
  );
}

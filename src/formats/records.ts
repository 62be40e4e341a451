import { FormatError } from '../rows/errors.ts';
import { expandCategories } from './categories.ts';
import {
  answerBit,
  cellNumber,
  isBit,
  isColumnName,
  isEntry,
  isIdName,
  isList,
  looksLikeHeader,
  mayName,
  namesAnswers,
} from './cells.ts';
import { withoutEmptyColumns, withoutEmptyLines } from './edges.ts';
import { findIds, tried } from './ids.ts';
import { placesOf, refuseLacking, refuseTwins } from './like.ts';
import { openItems, openPairs } from './long.ts';
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
  if (options.layout === 'items' && !given.columns) return openLines(given, options);
  const source = withoutEmptyLines(given, lines);
  const sample = source === given ? lines : await takeSample(source);
  if (isRagged(source, sample, options)) {
    if (options.layoutIfUnclear === 'items') return openLines(given, options);
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

/** Opens a table with its marks as bits, and remembers in which columns it has them, where these are not all. */
async function openMarked(
  named: RecordSource,
  records: readonly unknown[][],
  present: string,
  options: OpenOptions,
): Promise<OpenedSource> {
  const { table, marked } = withMarks(named, records, present, options);
  const opened = await openRecords(table, { ...options, present: undefined, header: false });
  const names = named.columns?.filter((_, v) => marked[v]);
  const known = new Set(names);
  const some = names && !opened.columns?.every((name) => known.has(name));
  return { ...opened, present, ...(some && { presentIn: names }) };
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
  return {
    ...source,
    columns: columnNames(source.name, sample, layout),
    batches: () => withoutFirst(source),
  };
}

async function* withoutFirst(source: RecordSource): AsyncGenerator<readonly Cells[]> {
  let skipped = false;
  for await (const batch of source.batches()) {
    yield skipped || batch.length === 0 ? batch : batch.slice(1);
    skipped ||= batch.length > 0;
  }
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

/** Lines of many lengths are no table, but may list items. */
function isRagged(
  { columns }: RecordSource,
  sample: readonly unknown[][],
  { layout, categorical, groups }: OpenOptions,
): boolean {
  if (columns || layout || categorical || groups) return false;
  return new Set(sample.map((record) => record.length)).size > 2;
}

function refuseLists(name: string, sample: readonly unknown[][]): never {
  const lengths = [...new Set(sample.map((record) => record.length))];
  throw new FormatError(
    name,
    '',
    `its lines have ${lengths.slice(0, 3).join(', ')}${lengths.length > 3 ? ', …' : ''} cells, where those of a table have as ` +
      'many each. If each line lists the items of a row, say --layout items.',
  );
}

/** Pairs that may be a row and its item, or two items of a row, as the lines of a model's rows listed them. */
function refuseBaskets(
  { name }: RecordSource,
  records: readonly unknown[][],
  { layout, layoutIfUnclear, vocabulary }: OpenOptions,
): void {
  const known = new Set(vocabulary);
  const item = records.find(([first]) => known.has(String(first).trim()))?.[0];
  if (layout || layoutIfUnclear !== 'items' || item === undefined) return;
  const found = `its lines have two cells, and '${item}' in the first is an item that the model knows`;
  throw new FormatError(
    name,
    '',
    `${found}: say --layout items if each line lists the items of a row, or --layout long`,
  );
}

/** A line for each row, which lists its items; `idColumn` says that the first cell is its name. */
async function openLines(source: RecordSource, { idColumn, ...options }: OpenOptions): Promise<OpenedSource> {
  const named = idColumn !== undefined && idColumn !== false;
  if (named && idColumn !== true && Number(idColumn) !== 0)
    throw new FormatError(source.name, '', 'only the first cell of a line can name its row: --id-column 0');
  const lists: RecordSource = {
    ...source,
    async *batches() {
      for await (const batch of options.header ? withoutFirst(source) : source.batches()) {
        yield batch.map((record) => {
          const cells = Array.from(record);
          return named ? [cells.slice(1), cells[0]] : [cells];
        });
      }
    },
  };
  return { ...(await openItems(lists, 0, named ? 1 : undefined, options)), layout: 'items' };
}

/** The column that holds lists, if there is one. */
function findList(
  source: RecordSource,
  sample: readonly unknown[][],
  options: OpenOptions,
): number | undefined {
  const { name, columns } = source;
  const lists = sample[0].map((_, v) => v).filter((v) => sample.some((record) => isList(record[v])));
  if (options.variable !== undefined) {
    const v = columns?.indexOf(options.variable) ?? -1;
    if (v < 0) throw new FormatError(name, '', `there is no column '${options.variable}'`);
    return lists.includes(v) ? v : undefined;
  }
  if (lists.length < 2) return lists[0];
  const names = lists.map((v) => columns?.[v] ?? v).join(', ');
  throw new FormatError(name, '', `several columns hold lists: ${names}. Choose one with --variable.`);
}

/** Lists of one length that could be entries are rows themselves; others list the items that are on. */
function openList(
  source: RecordSource,
  sample: readonly unknown[][],
  list: number,
  options: OpenOptions,
): Promise<OpenedSource> {
  const lists = sample.map((record) => record[list]).filter(isList);
  const dense = lists.every((cells) => cells.length === lists[0].length && Array.from(cells).every(isEntry));
  const id = idsBeside(list, source, sample[0].length, options);
  if (!(options.layout ? options.layout === 'wide' : dense || options.values !== undefined)) {
    return openItems(source, list, id, options);
  }
  const rows: RecordSource = {
    name: source.name,
    format: source.format,
    idColumn: id === undefined ? undefined : source.columns?.[id],
    async *batches() {
      for await (const batch of source.batches()) {
        yield batch.map((record) => {
          const cells = isList(record[list]) ? Array.from(record[list]) : [];
          return id === undefined ? cells : [record[id], ...cells];
        });
      }
    },
  };
  const first = lists[0] ? Array.from(lists[0]) : [];
  const flat = [id === undefined ? first : [sample[0][id], ...first]];
  return openWide(rows, flat, { ...options, idColumn: id === undefined ? false : 0 });
}

/** The column that names the rows beside one of lists: the one asked for, the only other one, or a first one called so. */
function idsBeside(
  list: number,
  source: RecordSource,
  width: number,
  { columns: _, ...options }: OpenOptions,
): number | undefined {
  const { name, columns } = source;
  if (width === 2 && (options.idColumn === undefined || options.idColumn === true)) return 1 - list;
  const looks = () => list > 0 && columns !== undefined && isIdName(columns[0]);
  const id = findIds(source, width, options, undefined, looks);
  if (id !== list) return id;
  throw new FormatError(name, '', `the column '${columns?.[id] ?? id}' holds lists: it cannot name the rows`);
}

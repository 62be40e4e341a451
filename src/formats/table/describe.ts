import { counted } from '../../rows/counted.ts';
import { columnPlace } from '../../rows/values.ts';
import { cellReader } from './cells.ts';
import { categoryColumns, type Known, mentionsFirst, takenColumns } from './columns.ts';
import { concludeHeader, isBit, isNumeral } from './header.ts';
import { describeList, holdsLists } from './lists.ts';
import { cellQuestion, leaveOut, naming, type Question, say } from './question.ts';
import { type Body, columnNames, isShorter, type Row, type TablePart } from './records.ts';

/** What options, a schema or a model say about a table. */
export interface Declared extends TablePart {
  readonly known?: Known;
  /** The number of columns, if it is declared. */
  readonly width?: number;
}

/** The first records of a table, including its header if it has one. */
interface Sample extends Pick<Body, 'name' | 'columns' | 'typed'> {
  readonly records: readonly Row[];
}

/**
 * Finds out how a table is to be read. Returns the only possible way, or a question if there are several. It
 * concludes that the first line is a header if it cannot be data, and that a first column of distinct words
 * names the rows. Tables of anything but bits or probabilities have to be declared.
 */
export function describeTable({ records, ...sample }: Sample, said: Declared): Body | Question {
  const { name, typed } = sample;
  const { known, width, ...rest } = said;
  const read = cellReader(said);
  const lines = said.layout === 'items' && !sample.columns;
  const header = typed ? undefined : (said.header ?? (!lines && concludeHeader(records, said, read)));
  if (typeof header === 'object') return header;
  const part: TablePart = { ...rest, ...(header !== undefined && { header }) };
  const rows = header ? records.slice(1) : records;
  const columns = header && !lines ? columnNames(name, records) : sample.columns;
  const body: Body = { name, columns, rows, typed, part, known, read };
  if (lines || rows.length === 0) return body;
  const ragged = rows.findIndex((record) => record.length !== rows[0].length);
  if (ragged > 0) return raggedQuestion(rows, ragged);
  if (holdsLists(body)) return describeList(body);
  if (said.layout === 'long') return pairsQuestion(body) ?? body;
  if (said.layout === 'items') return body;
  const named = header === true && isShorter(records);
  const idColumn = said.idColumn ?? concludeId(body, width, named);
  const wide: Body = { ...body, part: { ...part, layout: 'wide', idColumn } };
  return wideQuestion(wide, said.idColumn !== undefined) ?? wide;
}

export function isQuestion(described: Body | Question): described is Question {
  return 'candidates' in described;
}

/**
 * The column that names the rows: the model's, or else the first one if it has no name (`named`) or holds
 * distinct words and nothing was declared about it. In formats that distinguish words from numbers, numerals
 * may be words.
 */
function concludeId(
  { columns: names, rows, read, typed, part, known }: Body,
  width: number | undefined,
  named: boolean,
): string | number | false {
  const { columns, categorical, values } = part;
  const before = known?.idColumn;
  if (typeof before === 'number' || (typeof before === 'string' && names?.includes(before))) return before;
  const id = names?.[0] && names.indexOf(names[0], 1) < 0 ? names[0] : 0;
  if (named) return id;
  // Beside codes and weights, a column names the rows if it is one more than their number, or is not named
  // after a unit.
  const others = rows[0].length - 1;
  if (values === 'numbers' && (width === undefined ? isBesideUnits(names) : others === width)) return id;
  const spoken = [columns, categorical].some((said) => mentionsFirst(said, names, rows[0].length));
  if (rows[0].length < 2 || spoken || (names && known?.columns?.includes(names[0]))) return false;
  const cells = rows.map((record) => record[0]);
  const isWord = (cell: unknown) =>
    read(cell) === undefined || (typed && typeof cell === 'string' && isNumeral(cell));
  return cells.every(isWord) && isUnique(cells) ? id : false;
}

/** Whether all columns but the first are called h1, h2 and so on, as `encode` calls the units of a code. */
function isBesideUnits([first, ...others]: readonly string[] = []): boolean {
  return others.length > 0 && others.every((name, h) => name === `h${h + 1}`) && !/^h\d+$/.test(first);
}

function isUnique(cells: readonly unknown[]): boolean {
  return new Set(cells).size === cells.length;
}

/** What the first rows of a wide table leave open. */
function wideQuestion(body: Body, idSaid: boolean): Question | undefined {
  const { columns: names, rows, read, part, known } = body;
  const { take, all, id } = takenColumns(body);
  // Missing columns that a model needs are reported elsewhere.
  if (known?.columns && names && all) return undefined;
  const categories = categoryColumns(body);
  const isCategory = (v: number) =>
    !categories || categories.has(v) || known?.categories?.includes(names?.[v] ?? '');
  for (const v of take) {
    if (isCategory(v)) continue;
    const row = rows.findIndex((record) => read(record[v]) === undefined);
    if (row >= 0) return cellQuestion(rows[row][v], row, v, body);
    if (names?.[v] !== '' || v === 0 || rows.some((record) => record[v] !== '')) continue;
    return {
      place: columnPlace(v),
      found: 'has neither a name nor an entry',
      candidates: [leaveOut(v, names)],
    };
  }
  const open = part.values === undefined && !idSaid && id === undefined;
  return open && all && !categories?.has(0) ? idQuestion(body) : undefined;
}

/**
 * Asks about a first column that may name the rows: one without heading, or distinct whole numbers beside
 * bits.
 */
function idQuestion({ columns: names, rows, read }: Body): Question | undefined {
  const first = rows.map((record) => read(record[0]));
  const others = () => rows.every((record) => record.slice(1).every((cell) => isBit(read(cell))));
  const numbered = first.every(Number.isInteger) && !first.every(isBit) && others();
  if (rows[0].length < 2 || !isUnique(first) || !(numbered || names?.[0] === '')) return undefined;
  return {
    place: columnPlace(0, names?.[0] ? names : undefined),
    found: numbered ? 'holds whole numbers other than 0 and 1, beside columns of bits' : 'has no name',
    candidates: [naming(0, names), leaveOut(0, names), say('--no-id-column', 'it is data')],
  };
}

/**
 * Asks where a long table has its rows and its items, unless that is declared or there are two columns, or
 * three with numbers in the last.
 */
function pairsQuestion({ rows, read, part }: Body): Question | undefined {
  const width = rows[0].length;
  const plain = width === 2 || (width === 3 && rows.every((record) => read(record[2]) !== undefined));
  if (plain || part.columns !== undefined) return undefined;
  const found = `has ${counted(width, 'column')}, and --layout long needs two: that of the rows and that of the items`;
  return { place: '', found, candidates: [say('--id-column ROW --columns ITEM', 'their names or numbers')] };
}

/** Asks about lines of different lengths, which are not a table. */
function raggedQuestion(rows: readonly Row[], row: number): Question {
  const found = `has ${counted(rows[row].length, 'cell')}, and row 1 has ${rows[0].length}; if a cell was lost or added there, correct the file`;
  return {
    place: `row ${row + 1}`,
    found,
    candidates: [say('--layout items', 'each line lists the items of a row')],
  };
}

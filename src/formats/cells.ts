/**
 * Cells of a table, as text or as values of Parquet, Arrow or JSON: what number one holds, whether a first line
 * looks like names, whether a first column looks like the names of rows.
 */

/** Words for a missing entry, besides the empty cell. */
const MISSING = new Set(['', 'na', 'n/a', 'nan', 'null', 'none', '?', '.']);
const WORDS = new Map([
  ['true', 1],
  ['false', 0],
  ['t', 1],
  ['f', 0],
  ['yes', 1],
  ['no', 0],
]);

/** The number in a cell: NaN where it is missing, undefined where the cell holds something else. */
export function cellNumber(cell: unknown, missing?: number | string): number | undefined {
  if (cell === '0') return missing === 0 || missing === '0' ? Number.NaN : 0;
  if (cell === '1') return missing === 1 || missing === '1' ? Number.NaN : 1;
  const x = plainNumber(cell, missing);
  return x !== undefined && missing !== undefined && missing !== '' && x === Number(missing) ? Number.NaN : x;
}

function plainNumber(cell: unknown, missing?: number | string): number | undefined {
  if (typeof cell === 'number') return cell;
  if (typeof cell === 'boolean') return cell ? 1 : 0;
  if (cell === null || cell === undefined) return Number.NaN;
  if (typeof cell === 'bigint') return Number(cell);
  if (typeof cell !== 'string') return undefined;
  const text = cell.trim().toLowerCase();
  if (MISSING.has(text) || cell === missing || cell.trim() === missing) return Number.NaN;
  const x = WORDS.get(text) ?? Number(text);
  return Number.isNaN(x) ? undefined : x;
}

/**
 * The bit that an answer stands for, y or n. Rows and columns are called by single letters too: only a cell that must
 * be an entry is taken for one.
 */
export function answerBit(cell: unknown): 0 | 1 | undefined {
  const letter = typeof cell === 'string' ? cell.trim().toLowerCase() : '';
  if (letter === 'y') return 1;
  return letter === 'n' ? 0 : undefined;
}

/** Cells that are lists of their own. */
export function isList(cell: unknown): cell is ArrayLike<unknown> {
  return Array.isArray(cell) || (ArrayBuffer.isView(cell) && !(cell instanceof DataView));
}

/** Whether a cell could be an entry of a table of bits without anything being said about it. */
export function isEntry(cell: unknown, missing?: number | string): boolean {
  const x = cellNumber(cell, missing);
  return x !== undefined && (Number.isNaN(x) || (x >= -1 && x <= 1));
}

/** The same, or an answer. */
export function isBit(cell: unknown, missing?: number | string): boolean {
  return isEntry(cell, missing) || answerBit(cell) !== undefined;
}

/**
 * Whether a first line names the columns: words above numbers, or numbers that count the columns. Above names of rows
 * these follow a word that columns are called by, or stand above bits. Where somebody said what numbers are (`valuesSaid`),
 * a row may count up too, if it is short.
 */
export function looksLikeHeader(
  first: readonly unknown[],
  second: readonly unknown[] | undefined,
  missing?: number | string,
  valuesSaid = false,
): boolean {
  const text = (cell: unknown) => cellNumber(cell, missing) === undefined;
  if (first.some((cell, v) => text(cell) && (second ? !text(second[v]) : v > 0))) return true;
  const { word, numbers } = numbersOf(first, missing);
  if (!(numbers[0] >= 0) || !numbers.every((x, v) => x === numbers[0] + v)) return false;
  if (word === undefined) return numbers.length > (valuesSaid && first[0] !== '' ? LONGEST_COUNT : 2);
  if (numbers.every((x) => isEntry(x))) return false;
  if (isIdName(word) || isColumnName(word)) return numbers.length > 1;
  const aboveBits = second?.slice(1).every((cell) => isEntry(cell, missing));
  return numbers.length > 2 && aboveBits === true && !valuesSaid;
}

/** No row of data goes on for more cells than this by counting 0, 1, 2. */
const LONGEST_COUNT = 8;

/** The numbers of a first line, all of them whole or none, beside a word that may stand before them. */
function numbersOf(
  first: readonly unknown[],
  missing?: number | string,
): { word?: string; numbers: number[] } {
  const word = cellNumber(first[0], missing) === undefined ? String(first[0]) : undefined;
  const numbers = first.slice(word !== undefined || first[0] === '' ? 1 : 0).map(numeral);
  return { word, numbers: numbers.every(Number.isInteger) ? numbers : [] };
}

/**
 * Whether the numbers of a first line may be names, though they may be a row of counts too: they count 1, 2, 3, or rise and
 * are all above those of the other lines, as years are.
 */
export function mayName(
  first: readonly unknown[],
  rows: readonly (readonly unknown[])[],
  missing?: number | string,
): boolean {
  const { numbers } = numbersOf(first, missing);
  if (numbers.length < 3 || numbers[0] < 0 || numbers.some((x, v) => v > 0 && x <= numbers[v - 1]))
    return false;
  const isBelow = (cell: unknown) => !((cellNumber(cell, missing) ?? 0) >= numbers[0]);
  const above = () => rows.every((row) => row.slice(-numbers.length).every(isBelow));
  return numbers[numbers.length - 1] === numbers[0] + numbers.length - 1 || above();
}

function numeral(cell: unknown): number {
  return String(cell).trim() === '' ? Number.NaN : Number(cell);
}

/** Whether a first line of words stands above columns of answers, y and n. Two columns may be rows and items. */
export function namesAnswers(first: readonly unknown[], rows: readonly (readonly unknown[])[]): boolean {
  const isWord = (cell: unknown) => cellNumber(cell) === undefined && answerBit(cell) === undefined;
  if (first.length < 3 || !first.slice(1).every(isWord)) return false;
  return first.some((_, v) => v > 0 && areAnswers(rows.map((row) => row[v])));
}

/** Whether all cells that are there are y or n, and some are. */
function areAnswers(cells: readonly unknown[]): boolean {
  const there = cells.filter((cell) => !Number.isNaN(cellNumber(cell) ?? 0));
  return there.length > 0 && there.every((cell) => answerBit(cell) !== undefined);
}

const ID_NAMES = new Set(['', 'id', 'ids', 'index', 'row', 'name', 'key', 'unnamed: 0']);

/** Whether a column of this name names the rows. */
export function isIdName(name: string): boolean {
  return ID_NAMES.has(name.trim().toLowerCase());
}

/** What the two columns of pairs are often called. */
const PAIR_NAMES =
  'row item user basket customer order transaction invoice patient document doc word term species site sample feature ' +
  'product tag code name key value';
const PAIR_NAME = new RegExp(`^(?:id|.+[_ ]id|(?:${PAIR_NAMES.replaceAll(' ', '|')})(?:id)?)$`, 'i');

/** Whether a word is one that a column of rows or of items is called by: `basket`, `Item`, `customer_id`. */
export function isColumnName(word: string): boolean {
  return PAIR_NAME.test(word.trim());
}

/** `patient id`, `SampleID`; but not `paid`. */
const ID_ENDING = /(?:[_ .-][iI][dD]|[a-z]I[dD])$/;

/** Whether a column is called after names, as `respondent_id` is, and holds some: bits are none, whatever they are called. */
export function holdsIds(name: string, cells: readonly unknown[], missing?: number | string): boolean {
  const called = ID_ENDING.test(name.trim()) || (isColumnName(name) && /id\s*$/i.test(name));
  return called && !cells.every((cell) => isEntry(cell, missing));
}

/**
 * Whether the first column names the rows: by its own name, by text, by numbers unlike those of the others. Where only
 * some of these are `read`, the rest may be anything, but then no number may come twice.
 */
export function looksLikeIds(
  name: string | undefined,
  sample: readonly (readonly unknown[])[],
  missing?: number | string,
  read?: readonly number[],
): boolean {
  if (sample.length === 0 || sample[0].length < 2) return false;
  if (name !== undefined && isIdName(name)) return true;
  const cells = sample.map((record) => record[0]);
  const words = cells.some((cell) => cellNumber(cell, missing) === undefined);
  if (words) return !areAnswers(cells) || new Set(cells).size === cells.length;
  if (read && name !== undefined && holdsIds(name, cells, missing)) return true;
  const whole = cells.every((cell) => Number.isInteger(cellNumber(cell, missing)));
  if (!whole || cells.every((cell) => isEntry(cell, missing))) return false;
  if (sample.every((record) => record.slice(1).every((cell) => isBit(cell, missing)))) return true;
  const bits = read && sample.every((record) => read.every((v) => isBit(record[v], missing)));
  return bits === true && cells.length > 2 && new Set(cells).size === cells.length;
}

/**
 * Whether the first column holds numerals as words, no two the same, beside numbers or truth values: where a format tells
 * these apart, they are the names of few rows, though they may look like bits.
 */
export function areNumerals(sample: readonly (readonly unknown[])[]): boolean {
  const cells = sample.map((record) => record[0]);
  const numerals = cells.every((cell) => typeof cell === 'string' && /^\d+$/.test(cell));
  const isNumber = (cell: unknown) => ['number', 'boolean', 'bigint'].includes(typeof cell) || cell == null;
  return (
    numerals &&
    new Set(cells).size === cells.length &&
    sample.every((record) => record.length > 1 && record.slice(1).every(isNumber))
  );
}

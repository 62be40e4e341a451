import type { CellReader } from './cells.ts';
import { placesOf, refersToNames } from './columns.ts';
import type { Declared } from './describe.ts';
import { type Question, say } from './question.ts';
import { isShorter, type Row } from './records.ts';

/**
 * Whether the first line names the columns: it does if options refer to its names, or if it cannot be data.
 */
export function concludeHeader(
  records: readonly Row[],
  said: Declared,
  read: CellReader,
): boolean | Question {
  const [first, ...rows] = records;
  const cells = first.map((cell) => String(cell).trim());
  const { layout, known, values, categorical } = said;
  if ([said.idColumn, said.columns, categorical].some((x) => refersToNames(x, cells))) return true;
  if ((layout !== 'long' && placesOf(known?.columns, cells)) || hasHeader(records, read)) return true;
  const words = first.flatMap((cell, v) => (read(cell) === undefined ? [v] : []));
  if (words.some((v) => rows.some((row) => String(row[v]).trim() === cells[v]))) return false;
  // Categorical tables have a header unless the opposite is declared.
  const named = words.length === first.length;
  if (named && categorical) return true;
  if (!(layout === 'long' ? named : mayName(first, rows, said, read))) return false;
  const line = `'${cells.slice(0, 4).join(', ')}${cells.length > 4 ? ', …' : ''}'`;
  const header = say('--header', 'it names the columns');
  const odd = values === undefined && !first.map(read).every(isBit);
  const counts = [say('--values presence', 'it is a row of counts'), say('--values bytes', 'of grey levels')];
  const candidates = [header, ...(odd ? counts : [say('--no-header', 'it is a row')])];
  return { place: 'row 1', found: `${line} may name the columns or be a row`, candidates };
}

/** Whether a first line cannot be data, because one of its words stands above a column of numbers only. */
function hasHeader(records: readonly Row[], read: CellReader): boolean {
  const [first, ...rows] = records;
  const shift = isShorter(records) ? 1 : 0;
  if (rows.length === 0) return first.every((cell) => read(cell) === undefined);
  return first.some((cell, v) => {
    const below = read(cell) === undefined ? rows.map((row) => read(row[v + shift])) : [];
    return below.some((x) => !Number.isNaN(x)) && !below.includes(undefined);
  });
}

/**
 * Whether a first line that could be data may nevertheless be names: other numbers above bits, words for bits
 * above numbers or, if numbers of any size are data, rising whole numbers.
 */
function mayName(first: Row, rows: readonly Row[], { values }: Declared, read: CellReader): boolean {
  const numbers = first.map(read).filter((x) => x !== undefined && !Number.isNaN(x)) as number[];
  if (values === 'numbers') return false;
  if (values !== undefined)
    return numbers.length > 2 && numbers.every((x, k) => Number.isInteger(x) && x > (numbers[k - 1] ?? -1));
  const isWord = (cell: unknown) => !isNumeral(cell) && !Number.isNaN(read(cell) ?? Number.NaN);
  const bits = () => rows.every((row) => row.map(read).every(isBit));
  const isAbove = (cell: unknown, v: number) => isWord(cell) && rows.every((row) => isNumeral(row[v]));
  return rows.length > 0 && ((!numbers.every(isBit) && bits()) || first.some(isAbove));
}

export function isNumeral(cell: unknown): boolean {
  return cell !== '' && !Number.isNaN(Number(cell));
}

/** Whether a number can be an entry without any declaration. */
export function isBit(x: number | undefined): boolean {
  return x === undefined || Number.isNaN(x) || (x >= -1 && x <= 1);
}

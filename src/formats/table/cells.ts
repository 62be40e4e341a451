import { FormatError } from '../../rows/errors.ts';
import type { TableSchema } from '../../rows/schema.ts';

/** Reads cells (text, or values of Parquet, Arrow or JSON) as numbers, by the declared words. */

/** Words for a one and, at the same places, for a zero. */
export const ONES: readonly string[] = ['1', 'true', 'yes'];
export const ZEROS: readonly string[] = ['0', 'false', 'no'];
/** Words for a missing entry: the empty cell, and those that R, pandas and SQL write. */
export const MISSING: readonly string[] = ['', 'NA', 'N/A', 'NaN', 'null', '?', '.'];

type CellWords = Pick<TableSchema, 'ones' | 'zeros' | 'missing'>;

/**
 * The words of a table: those declared, and those of `before` that were not declared to mean anything else.
 */
export function wordsOf(said: CellWords, before: CellWords = {}): Required<CellWords> {
  const all = new Set([said.ones, said.zeros, said.missing].flatMap((list) => list?.map(folded) ?? []));
  const joined = (list: readonly string[] = [], usual: readonly string[]) => [
    ...list,
    ...usual.filter((word) => !all.has(folded(word))),
  ];
  return {
    ones: joined(said.ones, before.ones ?? ONES),
    zeros: joined(said.zeros, before.zeros ?? ZEROS),
    missing: joined(said.missing, before.missing ?? MISSING),
  };
}

/** The number in a cell: NaN if it is missing, undefined if the cell holds something else. */
export type CellReader = (cell: unknown) => number | undefined;

/** A reader of cells by the words of a table. A number declared as a word has the meaning of the word. */
export function cellReader({ ones = ONES, zeros = ZEROS, missing = MISSING }: CellWords = {}): CellReader {
  const known = new Map<string, number>();
  for (const word of missing) known.set(folded(word), Number.NaN);
  for (const word of zeros) known.set(folded(word), 0);
  for (const word of ones) known.set(folded(word), 1);
  const numbers = new Map<number, number>();
  for (const [word, x] of known) if (word !== '' && !Number.isNaN(Number(word))) numbers.set(Number(word), x);
  const numberOf = (x: number) => numbers.get(x) ?? x;
  const [zero, one] = [numberOf(0), numberOf(1)];
  return (cell) => {
    if (cell === '0') return zero;
    if (cell === '1') return one;
    if (typeof cell === 'number' || typeof cell === 'bigint') return numberOf(Number(cell));
    if (typeof cell === 'boolean') return cell ? 1 : 0;
    if (cell === null || cell === undefined) return known.get('') ?? Number.NaN;
    if (typeof cell !== 'string') return undefined;
    const text = folded(cell);
    const word = known.get(text);
    if (word !== undefined) return word;
    const x = text === '' ? Number.NaN : Number(text);
    return Number.isNaN(x) ? undefined : numberOf(x);
  };
}

/** A word without surrounding space and in lower case, which do not matter. */
export function folded(word: string): string {
  return word.trim().toLowerCase();
}

/** Whether a cell is itself a list. */
export function isList(cell: unknown): cell is ArrayLike<unknown> {
  return Array.isArray(cell) || (ArrayBuffer.isView(cell) && !(cell instanceof DataView));
}

/** The name of a row or of an item in a cell. */
export function label(cell: unknown, file: string, row: number): string {
  if (!isNested(cell)) return String(cell).trim();
  throw new FormatError(file, `row ${row}`, `found ${shown(cell)}, expected the name of a row or of an item`);
}

/** A cell in a message. A nested value is not written out, because it may be of any size. */
export function shown(cell: unknown): string {
  if (isNested(cell)) return isList(cell) ? 'a list' : 'an object';
  return String(cell).slice(0, 40);
}

function isNested(cell: unknown): boolean {
  return isList(cell) || Object.prototype.toString.call(cell) === '[object Object]';
}

import type { ColumnGroup } from '../rows/about.ts';
import type { Binarize } from '../rows/binarize.ts';
import { FormatError } from '../rows/errors.ts';
import type { TableSchema } from '../rows/schema.ts';
import type { Selection } from '../rows/select.ts';
import type { RowSource } from '../rows/source.ts';
import type { ValueKind } from '../rows/values.ts';
import type { Alike } from './like.ts';

export type FormatName =
  | 'idx'
  | 'npy'
  | 'npz'
  | 'csv'
  | 'libsvm'
  | 'mtx'
  | 'mat'
  | 'parquet'
  | 'arrow'
  | 'fps'
  | 'png'
  | 'bits'
  | 'jsonl';

/** How to read a file. Nothing has to be said: what is left out is found out, and an error says what cannot be. */
export interface OpenOptions {
  /**
   * A model, or rows that were opened before: the same columns in the same order, found by name where both have names,
   * and numbers, grey values and categories read as theirs were.
   */
  readonly like?: Alike;
  /** The format, where name and first bytes do not tell. */
  readonly format?: FormatName;
  /** What the numbers stand for; `packed`: eight bits in each byte of an NPY file, most significant first. */
  readonly values?: ValueKind | 'packed';
  /** The same where the numbers leave it open: how the rows of a model were read. */
  readonly valuesIfUnclear?: ValueKind | 'packed';
  /** How values between 0 and 1 become bits. Grey levels are sampled unless said otherwise, others stay. */
  readonly binarize?: Binarize;
  /** Fixes the draws of `binarize: 'sample'`. 0 unless given. */
  readonly seed?: number;
  /** A number or text that stands for a missing entry, besides NaN, null and an empty cell. */
  readonly missing?: number | string;
  /** A word that marks a one, in columns of nothing but this word and empty cells, which are zeros then. */
  readonly present?: string;
  /** Only these rows, in the order of the file. */
  readonly rows?: Selection;
  /** Only these columns, in the order given. */
  readonly columns?: Selection;
  /** The array to take from a file that holds several (MATLAB, NPZ), or the list column (Parquet, Arrow). */
  readonly variable?: string;
  /** Whether the first line of a table names its columns. */
  readonly header?: boolean;
  /** The column that names the rows: its name or number from 0; true: the first; false: there is none. */
  readonly idColumn?: boolean | number | string;
  /** The same where nobody says it and the table has a column of this name: what named the rows of a model. */
  readonly idColumnIfThere?: string;
  /** `wide`: a column for each bit. `long`: a line `row,item` for each one. `items`: a line for each row, of its items. */
  readonly layout?: 'wide' | 'long' | 'items';
  /** The same where nobody says it and the table may be so: how the rows of a model were laid out. */
  readonly layoutIfUnclear?: 'items';
  /** What separates the cells of a text table. */
  readonly delimiter?: string;
  /** Columns of words to take as categories, a column `name=value` for each value; true: all that hold words. */
  readonly categorical?: boolean | Selection;
  /** The categories of a model: their values, in its order. */
  readonly groups?: readonly ColumnGroup[];
  /** The items in column order, for formats that list items by name: others than these are an error. */
  readonly vocabulary?: readonly string[];
  /** Leaves out items that are not in the vocabulary, and takes values that a category did not have as missing. */
  readonly ignoreUnknown?: boolean;
  /** The number of columns, for sparse formats that do not say it. */
  readonly width?: number;
  /** The most memory that a format which has to be read whole may take. */
  readonly maxBytes?: number;
  /** Aborts the opening, which reads a text to its end. Reading the rows afterwards is up to who reads them. */
  readonly signal?: AbortSignal;
}

/** A source and how it was read: every output says so. */
export interface OpenedSource extends RowSource {
  readonly name: string;
  readonly format: FormatName;
  readonly schema: TableSchema;
  /** The word of its ones, where there are only ones and gaps: the gaps may be zeros, which `present` says. */
  readonly onlyMark?: string;
}

/** What formats that are read whole may take, unless `maxBytes` says otherwise: 4 GiB. */
export const MEMORY_LIMIT = 2 ** 32;

/** More columns than anyone has: a header that says more is wrong. */
export const MAX_COLUMNS = 2 ** 26;

/** A chunk takes no more numbers than this, however many rows are asked for (one row is the least). */
const CHUNK_NUMBERS = 2 ** 22;

/** How many rows to read at a time. */
export function chunkRows(size: number, V: number): number {
  return Math.max(1, Math.min(Math.floor(size) || 1, Math.floor(CHUNK_NUMBERS / Math.max(1, V))));
}

/** The number of rows and columns that a header claims, refused when it makes no sense. */
export function checkShape(file: string, n: number, V: number): void {
  const whole = (x: number) => Number.isSafeInteger(x) && x >= 0;
  if (!whole(n) || !whole(V) || V > MAX_COLUMNS || n > 2 ** 40) {
    throw new FormatError(
      file,
      '',
      `claims ${n} rows of ${V} columns; at most ${MAX_COLUMNS} columns are read`,
    );
  }
  if (n === 0 || V === 0) throw new FormatError(file, '', `is empty: ${n} rows of ${V} columns`);
}

/**
 * A sparse file may announce rows that hold nothing. An array of that many numbers is needed, so there may be no
 * more of them than some per byte of the file.
 */
export function checkSparseRows(file: string, n: number, size: number): void {
  if (n > 65_536 + 16 * size)
    throw new FormatError(file, '', `claims ${n} rows, too many for its ${size} bytes`);
}

/**
 * The same of columns: every model of such rows has an array for each of them. One large number in a small file is a
 * mistake more often than a table of that width, so that somebody has to say that it is meant.
 */
export function checkSparseColumns(file: string, V: number, size: number): void {
  if (V <= 2 ** 20 + 1000 * size) return;
  throw new FormatError(
    file,
    '',
    `has a column ${V}, which is much for ${size} bytes; where it is meant, openSource(file, { width: ${V} }) says so`,
  );
}

/** Names of rows are kept up to this many; tables with more have none. */
export const MAX_IDS = 5_000_000;

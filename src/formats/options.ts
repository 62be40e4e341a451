import { counted } from '../rows/counted.ts';
import { badFile } from '../rows/errors.ts';
import type { TableSchema } from '../rows/schema.ts';
import type { Selection } from '../rows/select.ts';
import type { RowSource } from '../rows/source.ts';
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
  | 'h5'
  | 'bed'
  | 'bits'
  | 'jsonl';

/**
 * How to read a file. Bits, probabilities and binary formats need no options. If a table can be read in
 * several ways, the error names the options for each. Options with the names of `TableSchema` fields have
 * their meaning.
 */
export interface OpenOptions extends Partial<Omit<TableSchema, 'kind' | 'words' | 'columns' | Words>> {
  /** A whole schema: one that was declared, or that of an opened source. Other options override it. */
  readonly schema?: Partial<TableSchema>;
  /**
   * A model, or rows that were opened before: the same columns in the same order, found by name where both
   * have names, and numbers, grey values and categories read as theirs were.
   */
  readonly like?: Alike;
  /** The format, if it cannot be recognised by name and first bytes. */
  readonly format?: FormatName;
  /** Words for a one and for a zero, besides 1 and 0, true and false, yes and no. */
  readonly ones?: string | readonly string[];
  readonly zeros?: string | readonly string[];
  /** Numbers or words that stand for a missing entry, besides NaN, null, NA and an empty cell. */
  readonly missing?: number | string | readonly (number | string)[];
  /** Only these rows, in the order of the file. */
  readonly rows?: Selection;
  /** Only these columns, in the order given; of a long table, those of the items and of their values. */
  readonly columns?: Selection;
  /**
   * The array to take from a file that holds several (MATLAB, NPZ, HDF5), or the list column (Parquet,
   * Arrow).
   */
  readonly variable?: string;
  /** Leaves out items that a model has not seen, and takes values that a category did not have as missing. */
  readonly ignoreUnknown?: boolean;
  /** The number of columns, for sparse formats that do not say it. */
  readonly width?: number;
  /** The most memory for a format that has to be read whole, in bytes. */
  readonly maxBytes?: number;
  /** Aborts the opening, which reads a text to its end. It does not affect reading the rows afterwards. */
  readonly signal?: AbortSignal;
}

type Words = 'ones' | 'zeros' | 'missing';

/** Words that may be given as one or as several. */
export function listed(words: OpenOptions['missing']): readonly string[] | undefined {
  if (words === undefined) return undefined;
  return (typeof words === 'object' ? words : [words]).map(String);
}

/** A source, with how it was read. */
export interface OpenedSource extends RowSource {
  readonly name: string;
  readonly format: FormatName;
  readonly schema: TableSchema;
  /** It holds only ones and gaps: the gaps may be zeros (option `zeros`). */
  readonly onlyOnes?: boolean;
  /** Whether entries are missing, if opening has looked at all of them. */
  readonly gaps?: boolean;
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
    throw badFile(
      file,
      `claims ${counted(n, 'row')} of ${V} columns; at most ${MAX_COLUMNS} columns are read`,
    );
  }
  if (n === 0 || V === 0) throw badFile(file, `is empty: ${counted(n, 'row')} of ${V} columns`);
}

/**
 * A sparse file may announce rows that hold nothing. An array of that many numbers is needed, so there may be
 * no more of them than some per byte of the file.
 */
export function checkSparseRows(file: string, n: number, size: number): void {
  if (n > 65_536 + 16 * size)
    throw badFile(file, `claims ${counted(n, 'row')}, too many for its ${counted(size, 'byte')}`);
}

/**
 * The same of columns: every model of such rows has an array for each of them. One large number in a small
 * file is a mistake more often than a table of that width, so that somebody has to say that it is meant.
 */
export function checkSparseColumns(file: string, V: number, size: number): void {
  if (V <= 2 ** 20 + 1000 * size) return;
  throw badFile(
    file,
    `has a column ${V}, which is a lot for ${counted(size, 'byte')}; use --width ${V} if that is intended`,
  );
}

/** Names of rows are kept up to this many; tables with more have none. */
export const MAX_IDS = 5_000_000;

import type { NameList } from './names.ts';
import type { Rows } from './rows.ts';
import type { TableSchema } from './schema.ts';

/** A category spread over columns: one a value, of which a row has exactly one (or none is known). */
export interface ColumnGroup {
  readonly name: string;
  /** The first of its columns; the others follow. */
  readonly first: number;
  /** What each of its columns stands for. */
  readonly values: readonly string[];
}

/**
 * Where rows come from: a file, a folder, memory, a generator. Read in order, chunk by chunk, as often as one
 * likes; nothing larger than a chunk has to be in memory.
 */
export interface RowSource {
  readonly n: number;
  readonly V: number;
  /** Names of the V columns, where the source has them. */
  readonly columns?: readonly string[];
  /** Names of the n rows, where the source has them. */
  readonly ids?: NameList;
  /** Columns that are the values of one category each, where the source has such. */
  readonly groups?: readonly ColumnGroup[];
  /** Height and width, where a row is a picture. */
  readonly image?: { readonly height: number; readonly width: number };
  /** How they were read, where they come from a file. */
  readonly schema?: TableSchema;
  /** All rows in order, at most `size` at a time. A chunk stays valid after the next one is read. */
  chunks(size: number): AsyncIterable<Rows>;
}

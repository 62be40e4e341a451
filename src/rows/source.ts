import type { RowsAbout } from './about.ts';
import type { Rows } from './rows.ts';

/**
 * Where rows come from: a file, a folder, memory or a generator. Rows are read in order, chunk by chunk, as
 * often as needed, and only a chunk has to be in memory. Everything but the entries is known before reading
 * begins.
 */
export interface RowSource extends RowsAbout {
  readonly n: number;
  readonly V: number;
  /** All rows in order, at most `size` at a time. A chunk stays valid after the next one is read. */
  chunks(size: number): AsyncIterable<Rows>;
}

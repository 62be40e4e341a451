import { atOnce, inTurns, type Steps } from './breath.ts';
import { checkPacked, checkShape } from './check.ts';
import { checkedSource } from './checked-source.ts';
import { collect, memorySource } from './memory.ts';
import { type Pictures, picturesAsRows } from './pictures.ts';
import type { Rows } from './rows.ts';
import type { TableSchema } from './schema.ts';
import type { RowSource } from './source.ts';
import { isRow, type NestedRows, type NestedTable, type Table, tableAsRows } from './table.ts';

/**
 * What users pass as rows, to every function that takes rows: nested arrays, a flat table with its shape, grey
 * pictures, rows as they are kept in memory, or a source that is read in chunks. This is the only door for all of them:
 * what comes through it is checked.
 */
export type RowsInput = RowsInMemory | RowSource;

/** The part of it that is in memory. */
export type RowsInMemory = NestedRows | Table | NestedTable | Pictures | Rows;

/**
 * The input as rows, checked entry by entry; tables of pure bits are packed. `like` is how the rows were read that a model
 * learned from: numbers that may stand for several things stand for the same.
 */
export function asRows(input: RowsInMemory, argument = 'rows', like?: TableSchema): Rows {
  return atOnce(rowsOf(input, argument, like));
}

/** Rows in memory as a source; or a source, each of whose chunks is checked when it is read. */
export function asSource(input: RowsInput, argument = 'rows', like?: TableSchema): RowSource {
  return isSource(input) ? checkedSource(input, argument) : memorySource(asRows(input, argument, like));
}

/** Rows in turns with everything else on the thread, and a source is read to its end. */
export async function readRows(
  input: RowsInput,
  argument = 'rows',
  like?: TableSchema,
  signal?: AbortSignal,
): Promise<Rows> {
  const known = await readRowsOrSource(input, argument, like, signal);
  return isSource(known) ? collect(known, { signal }) : known;
}

/** A source in the same way. */
export async function readSource(
  input: RowsInput,
  argument = 'rows',
  like?: TableSchema,
  signal?: AbortSignal,
): Promise<RowSource> {
  const known = await readRowsOrSource(input, argument, like, signal);
  return isSource(known) ? known : memorySource(known);
}

/** Rows that stay where they are: a source that is checked as it is read, or rows in memory, checked now. */
export async function readRowsOrSource(
  input: RowsInput,
  argument = 'rows',
  like?: TableSchema,
  signal?: AbortSignal,
): Promise<Rows | RowSource> {
  signal?.throwIfAborted();
  return isSource(input) ? checkedSource(input, argument) : inTurns(rowsOf(input, argument, like), signal);
}

function* rowsOf(input: RowsInMemory, argument: string, like: TableSchema | undefined): Steps<Rows> {
  if (isSource(input)) {
    throw new TypeError(
      `${argument}: expected rows in memory, got a source of rows; \`await collect(source)\` reads them all`,
    );
  }
  if (Array.isArray(input)) {
    if (input.length > 0 && !isRow(input[0])) throw refusal(input, argument);
    return yield* tableAsRows({ data: input as NestedRows }, argument, like);
  }
  if (!input || typeof input !== 'object' || ArrayBuffer.isView(input)) throw refusal(input, argument);
  if ('kind' in input) {
    checkShape(input, argument);
    return checkPacked(input, argument);
  }
  if ('data' in input) return yield* tableAsRows(input, argument, like);
  if ('images' in input) return yield* picturesAsRows(input, argument, like);
  throw refusal(input, argument);
}

/** Whether it is read in chunks, unlike rows in memory. */
export function isSource(input: unknown): input is RowSource {
  return typeof (input as RowSource | undefined)?.chunks === 'function';
}

function refusal(input: unknown, argument: string): TypeError {
  const flat = ArrayBuffer.isView(input) || (Array.isArray(input) && typeof input[0] !== 'object');
  const shape = flat
    ? '; a single row is [row], and a table says its shape, as in { data, n: rows, V: columns }'
    : '';
  return new TypeError(
    `${argument}: expected arrays as in [[0, 1], [1, 0]], a table { data, n, V }, packed rows, pictures { images, n, ` +
      `height, width } or a source of rows (of a file: openSource), got ${describe(input)}${shape}`,
  );
}

function describe(value: unknown): string {
  if (value === null) return 'null';
  if (ArrayBuffer.isView(value)) return `a ${value.constructor.name}`;
  if (Array.isArray(value)) return `an array of ${typeof value[0]}s`;
  if (typeof value !== 'object') return String(value);
  return `an object with ${Object.keys(value).join(', ') || 'no fields'}`;
}

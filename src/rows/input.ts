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
 * What users may pass to every function that takes rows: nested arrays, a flat table with its shape, grey
 * pictures, `Rows` themselves, or a source that is read in chunks. All of them are checked here, and nowhere
 * else.
 */
export type RowsInput = RowsInMemory | RowSource;

/** Rows that are in memory. */
export type RowsInMemory = NestedRows | Table | NestedTable | Pictures | Rows;

/**
 * The input as rows, checked entry by entry; tables of pure bits are packed. `like` is how a model's training
 * rows were read: numbers with several possible meanings get the same meaning.
 */
export function asRows(input: RowsInMemory, argument = 'rows', like?: TableSchema): Rows {
  return atOnce(rowsOf(input, argument, like));
}

/** The input as a source. A source given by the user is checked chunk by chunk as it is read. */
export function asSource(input: RowsInput, argument = 'rows', like?: TableSchema): RowSource {
  return isSource(input) ? checkedSource(input, argument) : memorySource(asRows(input, argument, like));
}

/** Like `asRows`, in turns with other work of the thread; a source is read to its end. */
export async function readRows(
  input: RowsInput,
  argument = 'rows',
  like?: TableSchema,
  signal?: AbortSignal,
): Promise<Rows> {
  const known = await readRowsOrSource(input, like, signal, argument);
  return isSource(known) ? collect(known, { signal }) : known;
}

/** Like `asSource`, in turns with other work of the thread. */
export async function readSource(
  input: RowsInput,
  like: TableSchema | undefined,
  signal: AbortSignal | undefined,
): Promise<RowSource> {
  const known = await readRowsOrSource(input, like, signal);
  return isSource(known) ? known : memorySource(known);
}

/** The input where it is: a source remains a source, rows in memory are checked now. */
export async function readRowsOrSource(
  input: RowsInput,
  like: TableSchema | undefined,
  signal: AbortSignal | undefined,
  argument = 'rows',
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

/** Whether the input is a source, read in chunks, rather than rows in memory. */
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

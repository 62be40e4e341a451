import { aboutOf, checkAbout, type RowsAbout } from './about.ts';
import { atOnce, inPieces, type Steps } from './breath.ts';
import { checkShape } from './check.ts';
import { counted } from './counted.ts';
import { type Rows, rowBytes } from './rows.ts';
import type { TableSchema } from './schema.ts';

/**
 * Rows as nested arrays: `[[0, 1], [1, 0]]`, or an array of typed arrays. null needs the option `missing`.
 */
export type NestedRows = readonly (
  | readonly (number | boolean | null)[]
  | Float32Array
  | Float64Array
  | Uint8Array
  | Int8Array
)[];

/** What a user may say about a table besides its entries. */
interface TableOptions extends RowsAbout {
  /**
   * 'unit': entries in [0, 1]; 'signs': in [-1, 1]. Default: as in the model's training rows, or else 'signs'
   * if any entry is negative and 'unit' if none is.
   */
  readonly values?: TableValues;
  /** The numbers that stand for a missing entry, such as NaN (null in nested arrays counts as NaN) or -9. */
  readonly missing?: number | readonly number[];
}

export type TableValues = 'unit' | 'signs';

/** A flat table with its shape. Numbers may be 0 and 1, -1 and +1, booleans, or anything between. */
export interface Table extends TableOptions {
  /** n x V entries, row after row. */
  readonly data: Float32Array | Float64Array | Uint8Array | Int8Array | readonly (number | boolean)[];
  readonly n: number;
  readonly V: number;
}

/** Nested arrays with more to say about them than their entries. */
export interface NestedTable extends TableOptions {
  readonly data: NestedRows;
  readonly n?: number;
  readonly V?: number;
}

/** A table as rows, checked entry by entry, in steps. Pure bits are packed. */
export function* tableAsRows(table: Table | NestedTable, argument: string, like?: TableSchema): Steps<Rows> {
  const { data, n, V } = yield* isNested(table) ? flattened(table, argument) : checkedFlat(table, argument);
  const missing = missingNumbers(table.missing, argument);
  const { values = valuesOf(like) ?? ((yield* anyNegative(data, missing)) ? 'signs' : 'unit') } = table;
  if (values !== 'unit' && values !== 'signs') {
    throw new RangeError(`${argument}.values: expected 'unit' or 'signs', got '${values}'`);
  }
  checkAbout(table, n, V, argument);
  const about = aboutOf(table);
  const signs = values === 'signs';
  const at = (k: number) => {
    const x = Number(data[k]);
    if (missing?.has(x)) return Number.NaN;
    return signs ? x : 2 * x - 1;
  };
  let pure = true;
  yield* inPieces(data.length, PIECE, (start, end) => {
    for (let k = start; k < end; k++) {
      const value = at(k);
      if (missing?.has(Number(data[k]))) continue;
      if (!(value >= -1 && value <= 1)) {
        const expected = signs ? 'a number in [-1, 1]' : 'a number in [0, 1]';
        throw new RangeError(
          `${argument}: found ${data[k]} in row ${Math.floor(k / V)}, column ${k % V}, expected ${expected}` +
            advice(Number(data[k]), signs, !table.values && valuesOf(like) !== undefined),
        );
      }
      pure &&= value === 1 || value === -1;
    }
  });
  if (pure) return { ...about, ...(yield* pack(n, V, at)) };
  const schema = { values, binarize: 'none', seed: 0, kind: 'real' } as const;
  const real = new Float32Array(n * V);
  yield* inPieces(real.length, PIECE, (start, end) => {
    for (let k = start; k < end; k++) real[k] = at(k);
  });
  return { schema, ...about, kind: 'real', n, V, values: real };
}

/** Entries per step, which take some milliseconds. */
const PIECE = 2 ** 17;

/** Rows per step. */
const rowsPerPiece = (V: number) => Math.max(1, Math.floor(PIECE / V));

function advice(found: number, signs: boolean, learned: boolean): string {
  if (Number.isNaN(found)) return '; missing entries need missing: NaN, as in { data, missing: NaN }';
  if (learned) return `, as the rows learned from have, or values: '${signs ? 'unit' : 'signs'}'`;
  return found > 1 && found <= 255 ? '; grey levels are pictures, as in { images, n, height, width }' : '';
}

interface Flat {
  readonly data: ArrayLike<number | boolean>;
  readonly n: number;
  readonly V: number;
}

function* checkedFlat(table: Table, argument: string): Steps<Flat> {
  const { data, n, V } = table;
  checkShape(table, argument);
  if (!data || typeof data !== 'object' || typeof data.length !== 'number') {
    throw new TypeError(`${argument}.data: expected an array, got ${data === null ? 'null' : typeof data}`);
  }
  if (Array.isArray(data)) yield* checkEntries(data, `${argument}.data`);
  if (data.length === n * V) return table;
  throw new RangeError(
    `${argument}.data: expected n * V = ${n} * ${V} = ${counted(n * V, 'entry')}, got ${data.length}`,
  );
}

function isNested(table: Table | NestedTable): table is NestedTable {
  const { data } = table;
  return Array.isArray(data) && (data.length === 0 || isRow(data[0]));
}

/** Whether a value can be a row of nested arrays. */
export function isRow(row: unknown): row is ArrayLike<unknown> {
  return Array.isArray(row) || (ArrayBuffer.isView(row) && 'length' in row);
}

/** Nested rows as one flat array; null becomes NaN. */
function* flattened({ data, ...said }: NestedTable, argument: string): Steps<Flat> {
  const [n, V] = [data.length, (data[0] as ArrayLike<unknown> | undefined)?.length ?? 0];
  if (n === 0) throw new RangeError(`${argument}: there are no rows`);
  for (const [name, found] of [['n', n] as const, ['V', V] as const]) {
    if (said[name] !== undefined && said[name] !== found)
      throw new RangeError(`${argument}.${name}: said to be ${said[name]}, but the arrays have ${found}`);
  }
  checkShape({ n, V }, argument);
  const flat = new Float64Array(n * V);
  const copyRow = (i: number) => {
    const row: ArrayLike<number | boolean | null> = data[i];
    if (!isRow(row)) throw new TypeError(`${argument}: row ${i} is not an array, got ${String(row)}`);
    if (row.length !== V)
      throw new RangeError(
        `${argument}: row ${i} has ${counted(row.length, 'entry')}, those before have ${V}`,
      );
    if (Array.isArray(row)) atOnce(checkEntries(row, `${argument}: row ${i}`, true));
    for (let v = 0; v < V; v++) flat[i * V + v] = row[v] === null ? Number.NaN : Number(row[v]);
  };
  yield* inPieces(n, rowsPerPiece(V), (start, end) => {
    for (let i = start; i < end; i++) copyRow(i);
  });
  return { data: flat, n, V };
}

/** Checks the entries of an array that is not a typed one, which may hold anything. */
function* checkEntries(data: readonly unknown[], name: string, nulls = false): Steps<void> {
  yield* inPieces(data.length, PIECE, (start, end) => {
    for (let k = start; k < end; k++) {
      const entry = data[k];
      if (typeof entry === 'number' || typeof entry === 'boolean' || (nulls && entry === null)) continue;
      const found = isRow(entry) ? 'an array' : typeof entry === 'string' ? `'${entry}'` : String(entry);
      throw new TypeError(
        `${name}: expected numbers or booleans, got ${found} at ${k}; a missing entry is NaN, with missing: NaN`,
      );
    }
  });
}

/** Packs entries that are -1, 1 or NaN into bits. */
function* pack(n: number, V: number, at: (k: number) => number): Steps<Rows> {
  const stride = rowBytes(V);
  const bits = new Uint8Array(n * stride);
  let known: Uint8Array | undefined;
  const packRow = (i: number) => {
    for (let v = 0; v < V; v++) {
      const value = at(i * V + v);
      if (value > 0) bits[i * stride + (v >> 3)] |= 1 << (v & 7);
      if (!Number.isNaN(value)) continue;
      known ??= new Uint8Array(n * stride).fill(255);
      known[i * stride + (v >> 3)] &= ~(1 << (v & 7));
    }
  };
  yield* inPieces(n, rowsPerPiece(V), (start, end) => {
    for (let i = start; i < end; i++) packRow(i);
  });
  return known ? { kind: 'bits', n, V, bits, known } : { kind: 'bits', n, V, bits };
}

/** The numbers that stand for a missing entry; undefined if there are none. */
function missingNumbers(said: TableOptions['missing'], argument: string): ReadonlySet<number> | undefined {
  if (said === undefined) return undefined;
  const numbers = typeof said === 'number' ? [said] : said;
  if (Array.isArray(numbers) && numbers.every((x) => typeof x === 'number')) return new Set(numbers);
  throw new TypeError(
    `${argument}.missing: expected the number that stands for a missing entry, as NaN or -9, got ${String(said)}`,
  );
}

function* anyNegative(
  data: ArrayLike<number | boolean>,
  missing: ReadonlySet<number> | undefined,
): Steps<boolean> {
  let found = false;
  yield* inPieces(data.length, PIECE, (start, end) => {
    for (let k = start; k < end && !found; k++) {
      const x = Number(data[k]);
      found = x < 0 && !missing?.has(x);
    }
  });
  return found;
}

/** What the numbers of a table stand for by default: the same as in the model's training rows. */
function valuesOf(like: TableSchema | undefined): TableValues | undefined {
  if (like?.kind !== 'real') return undefined;
  return like.values === 'signs' || like.values === 'unit' ? like.values : undefined;
}

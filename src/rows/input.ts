import { memorySource } from './memory.ts';
import { type Rows, rowBytes } from './rows.ts';
import type { RowSource } from './source.ts';

/**
 * What people hand over as rows: packed or real rows as they are, or a flat array with its shape. Numbers may be 0
 * and 1, -1 and +1, booleans, or anything between; NaN stands for a missing entry only where `missing` says so.
 */
export type RowsInput = Rows | Table;

export interface Table {
  /** n x V entries, row after row. */
  readonly data: Float32Array | Float64Array | Uint8Array | Int8Array | readonly boolean[];
  readonly n: number;
  readonly V: number;
  /**
   * 'unit': entries in [0, 1]; 'signs': in [-1, 1]. Default: what a model learned from, or else
   * signs if any entry is negative and unit if none is.
   */
  readonly values?: 'unit' | 'signs';
  /** Take NaN as a missing entry. */
  readonly missing?: boolean;
}

/** What the numbers of a table stand for. */
export type TableValues = NonNullable<Table['values']>;

/**
 * The input as rows, checked entry by entry; tables of pure bits are packed. `before` is how a table like it was read
 * that others were learned from: part of it may have no negative entry, and stands for the same.
 */
export function asRows(input: RowsInput, argument = 'rows', before?: TableValues): Rows {
  if (!input || typeof input !== 'object') {
    throw new TypeError(`${argument}: expected rows or { data, n, V }, got ${describe(input)}`);
  }
  if (Array.isArray(input) || ArrayBuffer.isView(input)) {
    throw new TypeError(
      `${argument}: expected rows or { data, n, V }, got ${describe(input)}; say how many rows and columns it has, as in ` +
        '{ data: table.flat(), n: table.length, V: table[0].length }',
    );
  }
  if (isSource(input)) {
    throw new TypeError(
      `${argument}: expected rows in memory, got a source of rows; \`await collect(source)\` reads them all, and ` +
        '`model.encodeSource(source)` encodes them piece by piece',
    );
  }
  return 'kind' in input ? checkRows(input, argument) : fromTable(input, argument, before);
}

/** Whether it is read in chunks, unlike rows in memory. */
export function isSource(input: unknown): input is RowSource {
  return typeof (input as RowSource | undefined)?.chunks === 'function';
}

/** A source as it is, or rows in memory as one, checked. */
export function asSource(input: RowsInput | RowSource, argument = 'rows', before?: TableValues): RowSource {
  return isSource(input) ? input : memorySource(asRows(input, argument, before));
}

/** What the numbers of a table stand for, by what it says or by what they are; undefined for rows and sources. */
export function valuesOf(input: RowsInput | RowSource): TableValues | undefined {
  if (isSource(input) || 'kind' in input) return undefined;
  return input.values ?? (anyNegative(input.data) ? 'signs' : 'unit');
}

function fromTable(table: Table, argument: string, before: TableValues | undefined): Rows {
  const { data, n, V } = table;
  checkShape(n, V, argument);
  if (!data || typeof data === 'string' || typeof data.length !== 'number') {
    throw new TypeError(`${argument}.data: expected a typed array or booleans, got ${describe(data)}`);
  }
  if (Array.isArray(data)) checkEntries(data, argument);
  if (data.length !== n * V) {
    throw new RangeError(
      `${argument}.data: expected n * V = ${n} * ${V} = ${n * V} entries, got ${data.length}`,
    );
  }
  if (table.values !== undefined && table.values !== 'unit' && table.values !== 'signs') {
    throw new RangeError(`${argument}.values: expected 'unit' or 'signs', got '${table.values}'`);
  }
  const signs = (table.values ?? before ?? valuesOf(table)) === 'signs';
  const at = (k: number) => (signs ? Number(data[k]) : 2 * Number(data[k]) - 1);
  let pure = true;
  for (let k = 0; k < data.length; k++) {
    const value = at(k);
    if (Number.isNaN(value) && table.missing) continue;
    if (!(value >= -1 && value <= 1)) {
      const expected = signs ? 'a number in [-1, 1]' : 'a number in [0, 1]';
      const guess = before ? `, as the rows learned from have, or values: '${signs ? 'unit' : 'signs'}'` : '';
      const hint = Number.isNaN(value) ? '; missing entries need missing: true' : guess;
      throw new RangeError(
        `${argument}.data: found ${data[k]} in row ${Math.floor(k / V)}, column ${k % V}, expected ${expected}${hint}`,
      );
    }
    pure &&= value === 1 || value === -1;
  }
  if (pure) return pack(n, V, at);
  const values = Float32Array.from({ length: n * V }, (_, k) => at(k));
  const schema = { values: signs ? 'signs' : 'unit', binarize: 'none', seed: 0, kind: 'real' } as const;
  return { kind: 'real', n, V, values, schema };
}

/** An array, other than a typed one, may hold anything. */
function checkEntries(data: readonly unknown[], argument: string): void {
  const k = data.findIndex((entry) => typeof entry !== 'number' && typeof entry !== 'boolean');
  if (k < 0) return;
  const entry = data[k];
  const found =
    Array.isArray(entry) || ArrayBuffer.isView(entry) ? 'arrays inside an array' : `${entry} at ${k}`;
  throw new TypeError(
    `${argument}.data: expected one flat array of n * V numbers or booleans, got ${found}; an unknown entry is NaN, with ` +
      'missing: true',
  );
}

/** Bits from entries that are -1, 1 or NaN. */
function pack(n: number, V: number, at: (k: number) => number): Rows {
  const stride = rowBytes(V);
  const bits = new Uint8Array(n * stride);
  let known: Uint8Array | undefined;
  for (let i = 0; i < n; i++) {
    for (let v = 0; v < V; v++) {
      const value = at(i * V + v);
      if (value > 0) bits[i * stride + (v >> 3)] |= 1 << (v & 7);
      if (!Number.isNaN(value)) continue;
      known ??= new Uint8Array(n * stride).fill(255);
      known[i * stride + (v >> 3)] &= ~(1 << (v & 7));
    }
  }
  return known ? { kind: 'bits', n, V, bits, known } : { kind: 'bits', n, V, bits };
}

function checkRows(rows: Rows, argument: string): Rows {
  const { n, V } = rows;
  checkShape(n, V, argument);
  const length = (name: string, found: ArrayLike<number> | undefined, expected: number) => {
    if (found?.length === expected) return;
    throw new RangeError(
      `${argument}.${name}: expected ${expected} entries for ${n} rows of ${V}, got ${found?.length ?? 'none'}`,
    );
  };
  if (rows.kind === 'bits') {
    length('bits', rows.bits, n * rowBytes(V));
    if (rows.known) length('known', rows.known, n * rowBytes(V));
    return rows;
  }
  if (rows.kind !== 'real')
    throw new TypeError(`${argument}.kind: expected 'bits' or 'real', got ${describe(rows)}`);
  length('values', rows.values, n * V);
  for (let k = 0; k < rows.values.length; k++) {
    const value = rows.values[k];
    if (!(value >= -1 && value <= 1) && !Number.isNaN(value)) {
      throw new RangeError(
        `${argument}.values: found ${value} in row ${Math.floor(k / V)}, column ${k % V}, expected a number in [-1, 1]`,
      );
    }
  }
  return rows;
}

function checkShape(n: number, V: number, argument: string): void {
  if (!Number.isInteger(n) || n < 1) {
    throw new RangeError(`${argument}.n: expected the number of rows, at least 1, got ${n}`);
  }
  if (!Number.isInteger(V) || V < 1) {
    throw new RangeError(`${argument}.V: expected the number of columns, at least 1, got ${V}`);
  }
}

function anyNegative(data: Table['data']): boolean {
  for (let k = 0; k < data.length; k++) if (Number(data[k]) < 0) return true;
  return false;
}

function describe(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (ArrayBuffer.isView(value)) return `a ${value.constructor.name} and no shape`;
  return typeof value === 'object'
    ? `an object with ${Object.keys(value).join(', ') || 'no fields'}`
    : String(value);
}

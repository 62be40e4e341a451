import type { RowsAbout } from './about.ts';
import { rowStream, sampleUnit } from './binarize.ts';
import { badFile } from './errors.ts';
import { type Rows, rowBytes } from './rows.ts';
import type { RowSource } from './source.ts';
import { type Reading, readsBits } from './values.ts';

/**
 * Rows of which only nonzero entries are stored: baskets, words, fragments. They stay sparse in memory, and
 * packed rows are made when a chunk is requested. An entry that is not stored is a zero bit (-1).
 */
export interface SparseRows {
  readonly n: number;
  readonly V: number;
  /** n + 1 numbers: row i has the entries offsets[i] to offsets[i + 1]. */
  readonly offsets: Float64Array;
  /** The column of each entry, ascending and each once within a row. */
  readonly items: Uint32Array;
  /** The number in the file for each entry. Absent: 1 everywhere. */
  readonly values?: Float32Array;
}

/** A source that unpacks sparse rows chunk by chunk. */
export function sparseSource(sparse: SparseRows, reading: Reading, about: RowsAbout = {}): RowSource {
  const { n, V } = sparse;
  return {
    ...about,
    n,
    V,
    async *chunks(size) {
      const step = Math.max(1, Math.floor(size));
      for (let i = 0; i < n; i += step) yield unpackSparse(sparse, i, Math.min(n, i + step), reading);
    },
  };
}

/** Unpacks rows `start` to `end` of sparse rows; the first of these is row `first` of its table. */
export function unpackSparse(
  sparse: SparseRows,
  start: number,
  end: number,
  reading: Reading,
  first = 0,
): Rows {
  const { V, offsets, items, values } = sparse;
  const n = end - start;
  const scale = reading.values === 'bytes' ? 1 / 255 : 1;
  if (!readsBits(reading)) {
    const real = new Float32Array(n * V).fill(-1);
    for (let i = 0; i < n; i++) {
      for (let k = offsets[start + i]; k < offsets[start + i + 1]; k++) {
        real[i * V + items[k]] = 2 * scale * (values ? values[k] : 1) - 1;
      }
    }
    return { kind: 'real', n, V, values: real };
  }
  const stride = rowBytes(V);
  const bits = new Uint8Array(n * stride);
  for (let i = 0; i < n; i++) {
    const stream = reading.binarize === 'sample' ? rowStream(reading.seed, first + start + i) : undefined;
    for (let k = offsets[start + i]; k < offsets[start + i + 1]; k++) {
      const p = values ? values[k] * scale : 1;
      const on = reading.values === 'presence' ? p !== 0 : stream ? sampleUnit(p, stream) : p > 0.5;
      if (on) bits[i * stride + (items[k] >> 3)] |= 1 << (items[k] & 7);
    }
  }
  return { kind: 'bits', n, V, bits };
}

/** Entries in any order, collected one by one; the arrays grow as needed, up to a limit. */
export class SparseBuilder {
  private rows = new Uint32Array(1024);
  private items = new Uint32Array(1024);
  private values: Float32Array | undefined;
  private readonly file: string;
  private readonly maxEntries: number;
  count = 0;

  constructor(file: string, maxBytes: number) {
    this.file = file;
    // Entries are held twice while they are sorted into rows: two times row, column and value.
    this.maxEntries = Math.floor(maxBytes / 24);
  }

  /** Adds an entry; zeros are not stored. */
  add(row: number, item: number, value = 1): void {
    if (value === 0) return;
    const k = this.count;
    if (k === this.rows.length) this.grow();
    this.rows[k] = row;
    this.items[k] = item;
    if (value !== 1 && !this.values) this.values = new Float32Array(this.rows.length).fill(1, 0, k);
    if (this.values) this.values[k] = value;
    this.count++;
  }

  /** Sorts the entries into rows; if a place has several entries, the last one counts. */
  build(n: number, V: number, renumber?: (item: number) => number): SparseRows {
    const offsets = new Float64Array(n + 1);
    for (let k = 0; k < this.count; k++) offsets[this.rows[k] + 1]++;
    for (let i = 0; i < n; i++) offsets[i + 1] += offsets[i];
    const next = offsets.slice(0, n);
    const items = new Uint32Array(this.count);
    const values = this.values && new Float32Array(this.count);
    for (let k = 0; k < this.count; k++) {
      const to = next[this.rows[k]]++;
      items[to] = renumber ? renumber(this.items[k]) : this.items[k];
      if (values) values[to] = this.values![k];
    }
    return { n, V, ...sortRows(offsets, items, values) };
  }

  private grow(): void {
    if (this.count >= this.maxEntries) {
      throw badFile(
        this.file,
        `holds more than ${this.maxEntries} entries, the limit for sparse rows in memory`,
      );
    }
    const size = this.rows.length * 2;
    const larger = <T extends Uint32Array | Float32Array>(to: T, from: T): T => {
      to.set(from);
      return to;
    };
    this.rows = larger(new Uint32Array(size), this.rows);
    this.items = larger(new Uint32Array(size), this.items);
    if (this.values) this.values = larger(new Float32Array(size), this.values);
  }
}

/** Sorts each row by column and drops repeated entries, keeping the last of each. Works in place. */
function sortRows(
  offsets: Float64Array,
  items: Uint32Array,
  values?: Float32Array,
): Pick<SparseRows, 'offsets' | 'items' | 'values'> {
  let to = 0;
  let start = 0;
  for (let i = 0; i + 1 < offsets.length; i++) {
    const end = offsets[i + 1];
    let sorted = true;
    for (let k = start + 1; k < end && sorted; k++) sorted = items[k - 1] < items[k];
    if (!sorted && !values) items.subarray(start, end).sort();
    else if (!sorted) sortPairs(items.subarray(start, end), values!.subarray(start, end));
    for (let k = start; k < end; k++) {
      if (k + 1 < end && items[k] === items[k + 1]) continue;
      items[to] = items[k];
      if (values) values[to] = values[k];
      to++;
    }
    start = end;
    offsets[i + 1] = to;
  }
  return { offsets, items: items.subarray(0, to), values: values?.subarray(0, to) };
}

function sortPairs(items: Uint32Array, values: Float32Array): void {
  const order = Uint32Array.from(items, (_, k) => k).sort((a, b) => items[a] - items[b] || a - b);
  items.set(order.map((k) => items[k]));
  values.set(Float32Array.from(order, (k) => values[k]));
}

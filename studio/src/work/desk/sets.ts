import { digits, type PCAE } from 'pc-ae';
import { blobBytes, type OpenOptions, openBytes, schemaFlags } from 'pc-ae/formats';
import { asRows, collect, entry, type Rows } from 'pc-ae/rows';
import type { DataFacts, Origin } from './calls.ts';
import { type Labels, readLabels } from './labels.ts';

/** Rows on the desk, and what is known of them. */
export interface DataSet {
  readonly id: string;
  readonly name: string;
  readonly format: string;
  readonly rows: Rows;
  /** What was said about how they are read. */
  readonly said?: OpenOptions;
  readonly onlyOnes: boolean;
  readonly labels?: Labels;
}

export async function openSet(
  id: string,
  origin: Origin,
  signal: AbortSignal,
  like?: PCAE,
): Promise<DataSet> {
  if (origin.from === 'digits') {
    const { train } = digits({ train: origin.n, test: 0 });
    const labels = { values: Float32Array.from(train.labels), names: [...'0123456789'] };
    return {
      id,
      name: 'generated digits',
      format: 'generated',
      rows: asRows(train),
      onlyOnes: false,
      labels,
    };
  }
  const { file } = origin;
  const options: OpenOptions = { ...origin.options, signal, ...(like && { like }) };
  const source = await openBytes(blobBytes(file.name, file), options);
  const rows = shared(await collect(source, { signal }));
  const { options: said } = origin;
  const set = { id, name: file.name, format: source.format, rows, said, onlyOnes: source.onlyOnes === true };
  return origin.labels ? withLabels(set, origin.labels) : set;
}

export async function withLabels(set: DataSet, file: File): Promise<DataSet> {
  return { ...set, labels: await readLabels(file, set.rows.n) };
}

export function factsOf({ id, name, format, rows, said = {}, onlyOnes, labels }: DataSet): DataFacts {
  const { n, V, kind, schema, columns, groups, image, ids } = rows;
  const flags = schemaFlags(said);
  return {
    ...{ id, name, format, n, V, kind, schema, flags, columns, groups, image, onlyOnes },
    ...{ named: ids !== undefined, ...countColumns(rows), labels: labels?.names },
  };
}

/** The name of a row: its own, or its number as everywhere, from 0. */
export function rowName({ rows }: DataSet, i: number): string {
  return rows.ids?.at(i) ?? String(i);
}

/** Entries of some rows, in [-1, 1]; NaN where they are missing. */
export function entries(rows: Rows, chosen: ArrayLike<number>, from = 0, to = rows.V): Float32Array {
  const width = to - from;
  const out = new Float32Array(chosen.length * width);
  for (let k = 0; k < chosen.length; k++) {
    for (let v = 0; v < width; v++) out[k * width + v] = entry(rows, chosen[k], from + v);
  }
  return out;
}

/** Numbers that are counted for the shares of columns: of more, every k-th row is. */
const COUNTED = 2 ** 26;

function countColumns(rows: Rows): { ones: Float32Array; missing: Uint32Array } {
  const { n, V } = rows;
  const step = Math.max(1, Math.ceil((n * V) / COUNTED));
  const ones = new Float64Array(V);
  const missing = new Uint32Array(V);
  let counted = 0;
  for (let i = 0; i < n; i += step, counted++) {
    for (let v = 0; v < V; v++) {
      const x = entry(rows, i, v);
      if (Number.isNaN(x)) missing[v]++;
      else ones[v] += (1 + x) / 2;
    }
  }
  return {
    ones: Float32Array.from(ones, (sum, v) => sum / Math.max(1, counted - missing[v])),
    missing: missing.map((count) => count * step),
  };
}

/** Rows in memory that workers share, where the page is isolated: a run then needs no copy of them. */
function shared(rows: Rows): Rows {
  if (!globalThis.crossOriginIsolated) return rows;
  if (rows.kind === 'real') return { ...rows, values: inShared(rows.values, Float32Array) };
  const { bits, known } = rows;
  return { ...rows, bits: inShared(bits, Uint8Array), ...(known && { known: inShared(known, Uint8Array) }) };
}

function inShared<T extends Uint8Array | Float32Array>(
  array: T,
  Kind: new (buffer: SharedArrayBuffer) => Uint8Array | Float32Array,
): T {
  const copy = new Kind(new SharedArrayBuffer(array.byteLength));
  copy.set(array);
  return copy as T;
}

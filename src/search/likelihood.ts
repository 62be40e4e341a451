import { type PackedCodes, unpackCodes } from '../bits/pack.ts';
import type { Loss } from '../losses/loss.ts';
import { entry, type Rows } from '../rows/rows.ts';
import { permutation } from '../rows/split.ts';
import { HALF, linearTables, type Tables } from './tables.ts';

/** The part of a model of bits that scoring needs. */
export interface BitDecoder {
  readonly V: number;
  readonly H: number;
  /** V x (H + 1), the bias last. */
  readonly W: Float32Array;
  readonly loss: Loss;
  /** What an entry of each column counts; 1 where absent. */
  readonly columnWeights?: Float32Array;
}

/**
 * The likelihood of a row x under a code e, as a cost: -(1/2) (W^T x) . e + (1/2) sum_v Psi(m_v), with m = W e + b, but for
 * a number that all codes share. A row need not be encoded to be searched for; entries that are missing add nothing to
 * W^T x. This is the first part, for each row.
 */
export function likelihoodTables({ V, H, W, columnWeights }: BitDecoder, rows: Rows): Tables {
  if (rows.V !== V) throw new RangeError(`queries: found rows of ${rows.V} columns; the model has ${V}`);
  const sums = new Float64Array(H);
  const weights = new Float32Array(rows.n * H);
  for (let i = 0; i < rows.n; i++) {
    sums.fill(0);
    for (let v = 0; v < V; v++) {
      const x = entry(rows, i, v);
      if (Number.isNaN(x)) continue;
      const half = (x * (columnWeights?.[v] ?? 1)) / 2;
      for (let h = 0; h < H; h++) sums[h] += half * W[v * (H + 1) + h];
    }
    weights.set(sums, i * H);
  }
  return linearTables(weights, H);
}

/**
 * The second part, for each code, at temperature t: sum_v Psi(t m_v) / (2 t). Below 1 scores count for less than the model
 * believes, as a code does that stands for many rows.
 */
export function likelihoodConstants(
  { V, H, W, loss, columnWeights }: BitDecoder,
  codes: PackedCodes,
  t: number,
): Float32Array {
  const width = H + 1;
  const constants = new Float32Array(codes.n);
  for (let first = 0; first < codes.n; first += PIECE) {
    const n = Math.min(PIECE, codes.n - first);
    const stride = codes.bytes.length / codes.n;
    const bytes = codes.bytes.subarray(first * stride, (first + n) * stride);
    const E = unpackCodes({ ...codes, n, bytes }, width);
    for (let i = 0; i < n; i++) {
      let sum = 0;
      for (let v = 0; v < V; v++) {
        let m = 0;
        for (let h = 0; h < width; h++) m += W[v * width + h] * E[i * width + h];
        sum += (columnWeights?.[v] ?? 1) * loss.psi(t * m);
      }
      constants[first + i] = sum / (2 * t);
    }
  }
  return constants;
}

const PIECE = 1024;

/** How near two rows are, the smaller the nearer: whatever neighbours are wanted. */
export type RowDistance = (a: Rows, i: number, b: Rows, j: number) => number;

/**
 * The temperature by which codes find most of the ten nearest neighbours of some rows among the others: 100 rows at most,
 * among 5,000 others. Rows count as neighbours by the number of entries in which they differ, or by `distance`.
 */
export function likelihoodTemperature(
  decoder: BitDecoder,
  rows: Rows,
  codes: PackedCodes,
  distance: RowDistance = differing,
  seed = 1,
): { temperature: number; recall: number } {
  const order = permutation(rows.n, seed).subarray(0, QUERIES + BASE);
  const count = Math.min(QUERIES, Math.floor(order.length / 2));
  const [asked, base] = [order.subarray(0, count), order.subarray(count)];
  if (count === 0) return { temperature: 1, recall: 0 };
  const width = codes.bytes.length / codes.n;
  const bytes = new Uint8Array(base.length * width);
  base.forEach((row, i) => {
    bytes.set(codes.bytes.subarray(row * width, (row + 1) * width), i * width);
  });
  const kept: PackedCodes = { ...codes, n: base.length, bytes };
  const constants = TEMPERATURES.map((t) => likelihoodConstants(decoder, kept, t));
  const found = TEMPERATURES.map(() => 0);
  const flip = codes.order === 'msb';
  for (const row of asked) {
    const truth = new Set(least(Float64Array.from(base, (other) => distance(rows, row, rows, other))));
    const one = { ...decoder };
    const { values, halves } = likelihoodTables(one, only(rows, row));
    const linear = Float64Array.from(base, (_, i) => {
      let cost = 0;
      for (let m = 0; m < halves; m++) {
        const byte = flip ? mirrored(bytes[i * width + (m >> 1)]) : bytes[i * width + (m >> 1)];
        cost += values[m * HALF + ((m & 1 ? byte >> 4 : byte) & 15)];
      }
      return cost;
    });
    constants.forEach((constant, which) => {
      for (const i of least(linear.map((cost, j) => cost + constant[j]))) if (truth.has(i)) found[which]++;
    });
  }
  const most = Math.max(...found);
  return {
    temperature: TEMPERATURES[found.indexOf(most)],
    recall: most / (count * Math.min(10, base.length)),
  };
}

const TEMPERATURES = [0.2, 0.3, 0.4, 0.5, 0.65, 0.8, 1];
const QUERIES = 100;
const BASE = 5000;

/** The number of entries in which rows differ, as a mean over the entries that are known in both. */
export function differing(a: Rows, i: number, b: Rows, j: number): number {
  let [sum, known] = [0, 0];
  for (let v = 0; v < a.V; v++) {
    const difference = Math.abs(entry(a, i, v) - entry(b, j, v));
    if (Number.isNaN(difference)) continue;
    sum += difference;
    known++;
  }
  return known === 0 ? Number.POSITIVE_INFINITY : sum / known;
}

/** One less the share of ones that rows have in common among those that either has: Tanimoto, Jaccard. */
export function tanimoto(a: Rows, i: number, b: Rows, j: number): number {
  let [both, either] = [0, 0];
  for (let v = 0; v < a.V; v++) {
    const [x, y] = [entry(a, i, v) > 0, entry(b, j, v) > 0];
    if (x && y) both++;
    if (x || y) either++;
  }
  return either === 0 ? 0 : 1 - both / either;
}

function only(rows: Rows, i: number): Rows {
  const values = Float32Array.from({ length: rows.V }, (_, v) => entry(rows, i, v));
  return { kind: 'real', n: 1, V: rows.V, values };
}

/** The places of the ten least numbers, the first of equals. */
function least(costs: Float64Array): number[] {
  return Array.from(costs.keys())
    .sort((a, b) => costs[a] - costs[b] || a - b)
    .slice(0, 10);
}

function mirrored(byte: number): number {
  let out = 0;
  for (let b = 0; b < 8; b++) if ((byte >> b) & 1) out |= 128 >> b;
  return out;
}

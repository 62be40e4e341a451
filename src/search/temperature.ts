import { type PackedCodes, unpackCodes } from '../bits/pack.ts';
import type { Engine } from '../engine/engine.ts';
import { projectedRows } from '../engine/products.ts';
import { type Where, withEngine } from '../engine/scope.ts';
import { counted } from '../rows/counted.ts';
import { entriesOf } from '../rows/entries.ts';
import { keepHighest } from '../rows/highest.ts';
import { type Rows, rowBytes, takeRows } from '../rows/rows.ts';
import { permutation } from '../rows/split.ts';
import { sum } from '../rows/sum.ts';
import { transposed } from '../rows/transposed.ts';
import { type BitDecoder, likelihoodConstants, unitWeights } from './likelihood.ts';

/**
 * What makes rows neighbours: few entries that differ (of those known in both), or many ones in common among
 * those that either has (Tanimoto, Jaccard).
 */
export type RowMetric = 'hamming' | 'tanimoto';

export interface TemperatureOptions extends Where {
  /** Default 'hamming'. */
  readonly metric?: RowMetric;
  /** Held-out rows whose neighbours are searched. Default: some of the rows, searched among the others. */
  readonly queries?: Rows;
  readonly seed?: number;
}

export interface ChosenTemperature {
  readonly temperature: number;
  /** Of the ten nearest neighbours, the share that codes find at this temperature. */
  readonly recall: number;
}

/**
 * The temperature at which codes find most of the ten nearest neighbours of some rows, 100 at most, among
 * `rows` and their codes, of which 5,000 at most are looked at. Rows that are sought need no codes.
 */
export async function likelihoodTemperature(
  decoder: BitDecoder,
  rows: Rows,
  codes: PackedCodes,
  options: TemperatureOptions = {},
): Promise<ChosenTemperature> {
  const { metric = 'hamming', queries, seed = 1 } = options;
  if (codes.n !== rows.n)
    throw new RangeError(`codes: found ${codes.n}, expected one for each of ${counted(rows.n, 'row')}`);
  const order = permutation(rows.n, seed);
  const own = queries ? 0 : Math.min(QUERIES, Math.floor(rows.n / 2));
  const chosen = order.subarray(own, own + Math.min(BASE, Math.ceil(ENTRIES / rows.V)));
  const asked = queries
    ? takeRows(queries, permutation(queries.n, seed).subarray(0, QUERIES))
    : takeRows(rows, order.subarray(0, own));
  if (asked.n === 0 || chosen.length === 0) return { temperature: 1, recall: 0 };
  const base = { rows: takeRows(rows, chosen), codes: takeCodes(codes, chosen) };
  return withEngine(options, async (engine) => {
    const truth = await nearestRows(engine, base.rows, asked, metric);
    const linear = await linearCosts(engine, decoder, base.codes, asked);
    let best = { temperature: 1, recall: -1 };
    for (const temperature of TEMPERATURES) {
      const constants = await likelihoodConstants({ ...decoder, temperature }, base.codes, { engine });
      const costs = linear.map((of) => of.map((cost, i) => cost + constants[i]));
      const hits = costs.reduce((sum, of, q) => sum + leastTen(of).filter((i) => truth[q].has(i)).length, 0);
      const recall = hits / (asked.n * Math.min(10, base.rows.n));
      if (recall > best.recall) best = { temperature, recall };
    }
    return best;
  });
}

const TEMPERATURES = [0.2, 0.3, 0.4, 0.5, 0.65, 0.8, 1];
const QUERIES = 100;
const BASE = 5000;
/** Entries of the rows that are looked at, about. */
const ENTRIES = 2 ** 24;

/** -(1/2) (W^T x) . e of every code, for each query. */
async function linearCosts(
  engine: Engine,
  decoder: BitDecoder,
  codes: PackedCodes,
  queries: Rows,
): Promise<Float32Array[]> {
  const { H } = decoder;
  const E: Rows = { kind: 'real', n: codes.n, V: H, values: unpackCodes(codes) };
  const weights = (await unitWeights(engine, decoder, queries)).map((weight) => -weight);
  return columns(await projectedRows(engine, E, transposed(weights, queries.n, H), queries.n), queries.n);
}

/** The ten nearest rows of each query. */
async function nearestRows(
  engine: Engine,
  base: Rows,
  queries: Rows,
  metric: RowMetric,
): Promise<Set<number>[]> {
  const together = async (value: (x: number) => number) => {
    const [left, right] = [base, queries].map((rows) => mapped(rows, value));
    return columns(
      await projectedRows(engine, left, transposed(right.values, queries.n, queries.V), queries.n),
      queries.n,
    );
  };
  if (metric === 'hamming') {
    const agreeing = await together((x) => x);
    const known = await together((x) => (Number.isNaN(x) ? 0 : 1));
    const mean = (sum: number, q: number, i: number) => sum / Math.max(1, known[q][i]);
    return agreeing.map((sums, q) => new Set(leastTen(sums.map((sum, i) => -mean(sum, q, i)))));
  }
  const ones = (x: number) => (x > 0 ? 1 : 0);
  const both = await together(ones);
  const [inBase, inQueries] = [base, queries].map((rows) => sums(mapped(rows, ones)));
  const either = (q: number, i: number) => inQueries[q] + inBase[i] - both[q][i];
  return both.map((sums, q) => new Set(leastTen(sums.map((sum, i) => -sum / Math.max(1, either(q, i))))));
}

function mapped(rows: Rows, value: (x: number) => number) {
  const { n, V } = rows;
  const values = entriesOf(rows).map((entry) => {
    const x = value(entry);
    return Number.isNaN(x) ? 0 : x;
  });
  return { kind: 'real' as const, n, V, values };
}

function sums({ n, V, values }: { n: number; V: number; values: Float32Array }): Float64Array {
  return Float64Array.from({ length: n }, (_, i) => sum(values.subarray(i * V, (i + 1) * V)));
}

/** The columns of a matrix with `count` columns. */
function columns(values: Float32Array, count: number): Float32Array[] {
  const n = values.length / count;
  const turned = transposed(values, n, count);
  return Array.from({ length: count }, (_, q) => turned.subarray(q * n, (q + 1) * n));
}

function takeCodes(codes: PackedCodes, order: Uint32Array): PackedCodes {
  const stride = rowBytes(codes.H);
  const bytes = new Uint8Array(order.length * stride);
  order.forEach((row, i) => {
    bytes.set(codes.bytes.subarray(row * stride, (row + 1) * stride), i * stride);
  });
  return { ...codes, n: order.length, bytes };
}

/** The places of the ten least numbers, the first of equals. */
export function leastTen(costs: ArrayLike<number>): number[] {
  const scores = new Float64Array(10).fill(Number.NEGATIVE_INFINITY);
  const places = new Int32Array(10);
  for (let i = 0; i < costs.length; i++) keepHighest(scores, places, -costs[i], i);
  return Array.from(places.subarray(0, costs.length));
}

import { type PackedCodes, unpackCodes } from '../bits/pack.ts';
import { type Engine, floatsOf, widthOf } from '../engine/engine.ts';
import { projectedRows } from '../engine/products.ts';
import { type Where, withEngine } from '../engine/scope.ts';
import type { Loss } from '../losses/loss.ts';
import { counted } from '../rows/counted.ts';
import { type Rows, rowBytes } from '../rows/rows.ts';
import { linearTables, type Tables } from './tables.ts';

/** The part of a model of bits that scoring needs: a `PCAE` learned with the encoding 'bits' has it. */
export interface BitDecoder {
  readonly V: number;
  readonly H: number;
  readonly bias: boolean;
  /** V x H, or V x (H + 1) with the bias last. */
  readonly W: Float32Array;
  readonly reconstructionLoss: Loss;
  /** The weight of an entry of each column; 1 if absent. */
  readonly columnWeights?: Float32Array;
  /** Factor of scores inside Psi; 1 if absent. `likelihoodTemperature` chooses it. */
  readonly temperature?: number;
}

/**
 * The likelihood of a row x under a code e, as a cost: -(1/2) (W^T x) . e + (1/2) sum_v Psi(m_v), with
 * m = W e + b, but for a number that all codes share. A row need not be encoded to be searched for; entries
 * that are missing add nothing to W^T x. This is the first part, for each row.
 */
export async function likelihoodTables(decoder: BitDecoder, rows: Rows, where: Where = {}): Promise<Tables> {
  const weights = await withEngine(where, (engine) => unitWeights(engine, decoder, rows));
  return linearTables(weights, decoder.H);
}

/** (1/2) W^T x of each row: n x H. */
export async function unitWeights(engine: Engine, decoder: BitDecoder, rows: Rows): Promise<Float32Array> {
  const { V, H, W, columnWeights } = decoder;
  if (rows.V !== V)
    throw new RangeError(`queries: found rows of ${counted(rows.V, 'column')}; the model has ${V}`);
  if (rows.n === 0) return new Float32Array(0);
  const width = widthOf(decoder);
  const half = new Float32Array(V * H);
  for (let v = 0; v < V; v++) {
    const share = (columnWeights?.[v] ?? 1) / 2;
    for (let h = 0; h < H; h++) half[v * H + h] = share * W[v * width + h];
  }
  return projectedRows(engine, rows, half, H);
}

/**
 * The second part, for each code, at the decoder's temperature t: sum_v Psi(t m_v) / (2 t). Below 1 scores
 * count for less than the model believes, as a code does that stands for many rows.
 */
export async function likelihoodConstants(
  decoder: BitDecoder,
  codes: PackedCodes,
  where: Where = {},
): Promise<Float32Array> {
  if (codes.H !== decoder.H) {
    throw new RangeError(`codes: found codes of ${counted(codes.H, 'bit')}; the model's have ${decoder.H}`);
  }
  return withEngine(where, (engine) => constantsOf(engine, decoder, codes));
}

/**
 * A row of even odds, x = 0, has the loss (1/2) sum_v Psi(m_v); with t W instead of W, t times the constant.
 */
async function constantsOf(engine: Engine, decoder: BitDecoder, codes: PackedCodes): Promise<Float32Array> {
  const { V, H, bias, W, reconstructionLoss: loss, columnWeights, temperature: t = 1 } = decoder;
  const width = widthOf(decoder);
  const constants = new Float32Array(codes.n);
  const most = Math.min(codes.n, Math.max(1, Math.floor(PIECE / V)));
  if (codes.n === 0) return constants;
  const block = engine.load({ kind: 'real', n: most, V, values: new Float32Array(most * V) });
  const weights = floatsOf(
    engine,
    W.map((w) => t * w),
  );
  const [E, losses] = [most * width, most].map((length) => engine.floats(length));
  const counted = columnWeights && floatsOf(engine, columnWeights);
  const stride = rowBytes(H);
  for (let first = 0; first < codes.n; first += most) {
    const n = Math.min(most, codes.n - first);
    const bytes = codes.bytes.subarray(first * stride, (first + n) * stride);
    E.write(unpackCodes({ ...codes, n, bytes }, width));
    const at = { block, W: weights, E, shape: { V, H, bias }, range: { start: 0, end: n }, loss };
    await engine.measure({ ...at, columnWeights: counted }, { losses });
    const found = await losses.read(0, n);
    for (let i = 0; i < n; i++) constants[first + i] = found[i] / t;
  }
  for (const held of [block, weights, E, losses, counted]) held?.free();
  return constants;
}

/** Entries of the rows of even odds that are in the engine. */
const PIECE = 2 ** 21;

/** Checks the input of `fitDecoder`: codes with their rows, or codes with the correlations B alone. */

import type { Encoding } from '../encodings/encoding.ts';
import { widthOf } from '../engine/engine.ts';
import { counted } from '../rows/counted.ts';
import { type RowsInput, readRows } from '../rows/input.ts';
import type { DecoderProblem } from '../training/decoder/decoder.ts';
import { checkCodes } from './check-codes.ts';

/** Codes and correlations without the rows they were measured on. The optimal decoder depends on nothing else. */
export interface CodesAndCorrelations {
  /** n x H; kept as float32. */
  readonly codes: ArrayLike<number>;
  /**
   * X E^T / n, V x width. With a bias unit, the last column holds the bits' means. Missing entries count
   * as 0.
   */
  readonly B: Float32Array | Float64Array;
  readonly V: number;
}

/** The decoding problem when the rows are given. */
export async function withRows(
  codes: Float32Array,
  input: RowsInput,
  signal: AbortSignal | undefined,
): Promise<DecoderProblem & { H: number }> {
  const rows = await readRows(input, 'rows', undefined, signal);
  const { n, V } = rows;
  if (codes.length === 0 || codes.length % n !== 0) {
    throw new RangeError(
      `fitDecoder: expected one code of H numbers for each of the ${counted(n, 'row')}, got ${counted(codes.length, 'number')}`,
    );
  }
  const H = codes.length / n;
  checkCodes(codes, H, 'fitDecoder');
  return { V, H, codes, rows };
}

/** The decoding problem when only correlations are given. */
export function withCorrelations(known: CodesAndCorrelations, bias: boolean): DecoderProblem & { H: number } {
  const { B, V } = known;
  const codes = asFloats(known.codes);
  const width = B.length / V;
  const H = bias ? width - 1 : width;
  if (!Number.isInteger(H) || H < 1) {
    const columns = bias ? "H + 1 columns (the last holds the bits' means)" : 'H columns';
    throw new RangeError(
      `fitDecoder: B must have V = ${V} rows of ${columns}, got ${counted(B.length, 'number')} in all`,
    );
  }
  checkCodes(codes, H, 'fitDecoder');
  return { V, H, codes, B };
}

/** Codes as float32, the type that is computed with. */
export function asFloats(codes: ArrayLike<number>): Float32Array {
  return codes instanceof Float32Array ? codes : Float32Array.from(codes);
}

/**
 * Refuses codes outside the set in which the model will encode new rows: the projection may move them by
 * rounding only.
 */
export function checkEncoding(codes: Float32Array, H: number, encoding: Encoding): void {
  const radius = encoding.bounded ? 1 : Number.POSITIVE_INFINITY;
  for (let i = 0; i < codes.length; i += H) {
    const inside = Float64Array.from(codes.subarray(i, i + H));
    encoding.project(inside, radius);
    const h = inside.findIndex((e, k) => Math.abs(e - codes[i + k]) > ROUNDED);
    if (h < 0) continue;
    throw new RangeError(
      `fitDecoder: encoding '${encoding.name}' is not that of these codes: found ${codes[i + h]} in row ` +
        `${i / H}, unit ${h}, expected ${encoding.words.entry}`,
    );
  }
}

/** How far rounding to float32 may have moved a code. */
const ROUNDED = 1e-6;

/** The mean |e_h| of each unit, which no correlation with a bit in [-1, 1] can exceed. The bias unit's is 1. */
export function reachOf(codes: Float32Array, H: number, bias: boolean, weights?: Float64Array): Float64Array {
  const reach = new Float64Array(widthOf({ H, bias }));
  let total = 0;
  for (let i = 0; i * H < codes.length; i++) {
    const weight = weights?.[i] ?? 1;
    total += weight;
    for (let h = 0; h < H; h++) reach[h] += weight * Math.abs(codes[i * H + h]);
  }
  if (bias) reach[H] = total;
  return reach.map((sum) => sum / total);
}

/** E E^T / n with the bias unit's 1: width x width. */
export function momentsOf(
  codes: Float32Array,
  H: number,
  bias: boolean,
  weights?: Float64Array,
): Float32Array {
  const width = widthOf({ H, bias });
  const sums = new Float64Array(width * width);
  const e = new Float64Array(width).fill(1);
  let total = 0;
  for (let i = 0; i * H < codes.length; i++) {
    const weight = weights?.[i] ?? 1;
    total += weight;
    for (let h = 0; h < H; h++) e[h] = codes[i * H + h];
    for (let h = 0; h < width; h++) {
      for (let k = 0; k < width; k++) sums[h * width + k] += weight * e[h] * e[k];
    }
  }
  return Float32Array.from(sums, (sum) => sum / total);
}

/** Refuses correlations that no rows can have: the slack computed from them would be below any possible loss. */
export function checkCorrelations(B: ArrayLike<number>, V: number, reach: Float64Array): void {
  const width = reach.length;
  for (let k = 0; k < V * width; k++) {
    const most = reach[k % width];
    if (Math.abs(B[k]) <= ROUNDING * most) continue;
    throw new RangeError(
      `fitDecoder: B holds ${B[k]} for bit ${Math.floor(k / width)}, unit ${k % width}; no rows of numbers in ` +
        `[-1, 1] correlate with its codes by more than ${most}`,
    );
  }
}

/** A little more than 1, because correlations may have been summed in float32. */
const ROUNDING = 1.0001;

/** Checks the input of `fitDecoder`: codes with their rows, or codes with the correlations B alone. */

import { encodingNames, encodingOf } from '../encodings/by-name.ts';
import type { Encoding, EncodingName } from '../encodings/encoding.ts';
import { widthOf } from '../engine/engine.ts';
import type { Where } from '../engine/scope.ts';
import { crossEntropy } from '../losses/cross-entropy.ts';
import type { Loss } from '../losses/loss.ts';
import type { DriftSet } from '../math/drift-sets.ts';
import { counted } from '../rows/counted.ts';
import { type RowsInput, readRows } from '../rows/input.ts';
import type { Rows } from '../rows/rows.ts';
import { checkedRowWeights } from '../rows/weights.ts';
import { checksFor } from '../training/checks.ts';
import type { DecoderProblem } from '../training/decoder/certificate.ts';
import type { DecoderSettings } from '../training/decoder/decoder.ts';
import { codeMatrix } from '../training/decoder/standard-codes.ts';
import { defaultRidge } from '../training/defaults.ts';
import { checkCodes } from './check-codes.ts';
import { sourceEllipsoids } from './source-sets.ts';

/**
 * Codes and correlations without the rows they were measured on. The optimal decoder depends on nothing else.
 */
export interface CodesAndCorrelations {
  /** n x H; kept as float32. */
  readonly codes: ArrayLike<number>;
  /**
   * X E^T / n, V x width; with a bias unit, the last column is the bits' means. Missing entries count as 0.
   */
  readonly B: Float32Array | Float64Array;
  readonly V: number;
}

export interface DecoderOptions extends Where {
  /** A unit whose code is always 1, for the bits' base rates. Default true. */
  readonly bias?: boolean;
  /**
   * Penalty (ridge/2) |w|^2 on the weights of codes of unit deviation, bias included. Default: 0.6 / n, or
   * less if that would cost too much.
   */
  readonly ridge?: number;
  /**
   * How far the correlations may be from B: one number, or eps_v for each bit (App. C.1). Adds (1/2)
   * eps_v |w_v|_1 without the bias, instead of the ridge, and leaves weights at exactly zero. Needs the rows.
   * Default 0. Unlike `l1` of `fit`, it takes the bits' means as exact, so that `guarantee(l1)`, where they
   * drift too, is larger than what was minimised.
   */
  readonly l1?: number | ArrayLike<number>;
  /**
   * For each bit, the set that holds the difference of the true correlations from B, bias unit included
   * (`driftEllipsoid`, `driftBox` and others of `pc-ae/math`). { confidence } stands for the ellipsoids that
   * hold the correlations of the rows' source, for all bits at once. Replaces the ridge by (1/2)
   * sigma_U(w_v), which minimises the worst case over all correlations in the sets. The codes may belong to
   * more rows than B was measured on. Computed bit by bit in float64; needs a loss with a smooth Psi and rows
   * of equal weight.
   */
  readonly sets?: readonly DriftSet[] | { readonly confidence: number };
  /** The reconstruction loss. Default: cross-entropy. */
  readonly loss?: Loss;
  /**
   * The weights are proven to be within this many nats per row of the best ones. Default 0.01. With l1,
   * learning ends when the next step is expected to gain less than a tenth of it, and the proven `weightGap`
   * may be larger.
   */
  readonly tolerance?: number;
  /** The weight of each row; default 1. */
  readonly rowWeights?: ArrayLike<number>;
  /** The set that the codes lie in; the model encodes new rows in the same set. Default 'real'. */
  readonly encoding?: EncodingName;
}

/** The checked input: the problem, its settings, and what replaces the ridge, if anything. */
export interface DecoderInput {
  readonly problem: DecoderProblem;
  readonly options: DecoderOptions;
  readonly settings: DecoderSettings;
  readonly encoding: Encoding;
  readonly sets?: readonly DriftSet[];
  /** eps_v of the option `l1`, if any is given. */
  readonly eps?: Float64Array;
}

/** Reads both forms of the call: codes with their rows, or codes with B, each with options. */
export async function readInput(
  first: ArrayLike<number> | CodesAndCorrelations,
  second?: RowsInput | DecoderOptions,
  third?: DecoderOptions,
): Promise<DecoderInput> {
  if (!first || typeof first !== 'object')
    throw new TypeError(`fitDecoder: expected codes and rows, or { codes, B, V }, got ${first}`);
  if ('codes' in first && !('B' in first)) {
    const found = Object.keys(first).join(', ');
    throw new TypeError(
      `fitDecoder: { ${found} } holds codes without B; give { codes, B, V }, or codes and their rows: fitDecoder(codes, rows)`,
    );
  }
  const apart = 'codes' in first;
  const options = (apart ? (second as DecoderOptions) : third) ?? {};
  const { bias = true, encoding: name = 'real' } = options;
  const known = apart
    ? withCorrelations(first, bias)
    : await withRows(asFloats(first), second as RowsInput, options.signal);
  const { V, H, codes, B } = known;
  const n = codes.length / H;
  const rowWeights = options.rowWeights && checkedRowWeights(options.rowWeights, n, 'fitDecoder');
  const weighing = rowWeights ? rowWeights.filter((weight) => weight > 0).length : n;
  const { loss = crossEntropy, tolerance = 0.01, ridge = defaultRidge(weighing) } = options;
  const check = checksFor('fitDecoder');
  check.oneOf('encoding', name, encodingNames);
  check.loss(loss);
  check.notNegative('ridge', ridge);
  check.positive('tolerance', tolerance);
  const encoding = encodingOf(name);
  checkEncoding(codes, H, encoding);
  const sets = checkedSets(options, { ...known, bias });
  // With sets, B may come from a part of the rows and exceed what all of them can have.
  if (B && !sets) checkCorrelations(B, V, reachOf(codes, H, bias, rowWeights));
  const eps = options.l1 === undefined || options.l1 === 0 ? undefined : checkedL1(options.l1, V);
  const settings = { bias, loss, ridge, tolerance };
  return { problem: { ...known, rowWeights }, options, settings, encoding, sets, eps };
}

/** The decoding problem when the rows are given. */
async function withRows(
  codes: Float32Array,
  input: RowsInput,
  signal: AbortSignal | undefined,
): Promise<DecoderProblem> {
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
function withCorrelations(known: CodesAndCorrelations, bias: boolean): DecoderProblem {
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
function asFloats(codes: ArrayLike<number>): Float32Array {
  return codes instanceof Float32Array ? codes : Float32Array.from(codes);
}

/** Refuses codes outside the set in which the model will encode new rows, except for rounding. */
function checkEncoding(codes: Float32Array, H: number, encoding: Encoding): void {
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

/**
 * The mean |e_h| of each unit, which no correlation with a bit in [-1, 1] can exceed. The bias unit's is 1.
 */
function reachOf(codes: Float32Array, H: number, bias: boolean, weights?: Float64Array): Float64Array {
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

/**
 * Refuses correlations that no rows can have: the slack computed from them would be below any possible loss.
 */
function checkCorrelations(B: ArrayLike<number>, V: number, reach: Float64Array): void {
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

function checkedL1(l1: number | ArrayLike<number>, V: number): Float64Array {
  const eps = typeof l1 === 'number' ? new Float64Array(V).fill(l1) : Float64Array.from(l1);
  if (eps.length !== V || eps.some((value) => !(value >= 0 && Number.isFinite(value)))) {
    throw new RangeError(`fitDecoder: l1 must be a number of at least 0, or one for each of the ${V} bits`);
  }
  return eps;
}

function checkedSets(
  { sets: asked, l1, ridge, rowWeights }: DecoderOptions,
  { V, H, bias, codes, rows }: DecoderProblem & { readonly bias: boolean },
): readonly DriftSet[] | undefined {
  if (asked === undefined) return undefined;
  const sets =
    'confidence' in asked
      ? sourceEllipsoids(
          needed(rows, 'sets by their confidence'),
          codeMatrix(codes, { H, bias }),
          checkedConfidence(asked.confidence),
          'fitDecoder',
        )
      : asked;
  if (sets.length !== V)
    throw new RangeError(`fitDecoder: sets must hold one set for each of the ${V} bits, got ${sets.length}`);
  const other = Object.entries({ l1, ridge, rowWeights }).find(([, value]) => value !== undefined)?.[0];
  if (other) throw new RangeError(`fitDecoder: sets and ${other} exclude each other`);
  return sets;
}

function checkedConfidence(confidence: number): number {
  if (confidence > 0 && confidence < 1) return confidence;
  throw new RangeError(`fitDecoder: the confidence of sets must be between 0 and 1, got ${confidence}`);
}

/** Rows that an option needs, which correlations cannot replace. */
export function needed(rows: Rows | undefined, what: string): Rows {
  if (rows) return rows;
  throw new RangeError(`fitDecoder: ${what} needs the rows, not their correlations alone`);
}

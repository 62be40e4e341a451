import { defaultEngine } from '../engine/default.ts';
import type { Engine } from '../engine/engine.ts';
import { crossEntropy } from '../losses/cross-entropy.ts';
import type { Loss } from '../losses/loss.ts';
import { asRows, type RowsInput } from '../rows/input.ts';
import type { Rows } from '../rows/rows.ts';
import { type DecoderProblem, learnDecoder } from '../training/decoder.ts';
import { learnRelaxedDecoder } from '../training/relaxed-decoder.ts';
import { defaultRidge } from '../training/settings.ts';
import { checkedRowWeights } from '../training/training-set.ts';
import type { Drift, Guarantee } from './guarantee.ts';
import { PCAE } from './model.ts';

export interface DecoderOptions {
  /** A unit whose code is always 1, for the bits' base rates. Default true. */
  readonly bias?: boolean;
  /** Penalty (ridge/2) |w|^2 on the weights of codes of unit deviation, bias included. Default 0.6 / n. */
  readonly ridge?: number;
  /**
   * How far the correlations may be from B: one number, or eps_v for each bit (App. C.1). Adds (1/2) eps_v |w_v|_1, the bias
   * left out, in the place of the ridge, and leaves weights at exactly zero. Needs the rows. Default 0.
   */
  readonly l1?: number | ArrayLike<number>;
  /** What a wrong reconstruction costs; cross-entropy by default. */
  readonly loss?: Loss;
  /**
   * The weights are proven to be within this many nats per row of the best ones. Default 0.01. With l1, steps end when the
   * next is expected to gain less than a tenth of it; `gap` says what is proven then, which may be more.
   */
  readonly tolerance?: number;
  /** What each row counts; default 1. */
  readonly rowWeights?: ArrayLike<number>;
  /** What the codes are, for a model that encodes new rows the same way. Default 'real'. */
  readonly encoding?: 'box' | 'real' | 'bits';
  readonly engine?: Engine;
}

/** The decoding layer of Sec. 2 for somebody's codes. */
export interface FittedDecoder {
  /** Weights for the codes as they were given: V x width, the bias last where there is one. */
  readonly W: Float32Array;
  /** The codes' correlations with the rows, X E^T / n: V x width. */
  readonly B: Float32Array;
  /** The slack (1/2) sum_v gamma(w_v, b_v): no rows with these codes and correlations are reconstructed worse. */
  readonly loss: number;
  /** How far the penalised slack is above its minimum at most, proven; Infinity where ridge is 0 and l1 is not given. */
  readonly gap: number;
  /** The largest difference between B and the correlations that the decoder itself would make (App. A.2). */
  readonly residual: number;
  /** The decoder as a model: decode, guarantee, save, and encode new rows with it (Prop. 2). */
  readonly model: PCAE;
  /** Reconstructions in [-1, 1] of codes (n x H): n x V. */
  decode(codes: Float32Array): Promise<Float32Array>;
  guarantee(drift?: Drift): Guarantee;
}

/** Codes and correlations without the rows they were measured on: all that the optimal decoder depends on. */
export interface CodesAndCorrelations {
  /** n x H. */
  readonly codes: Float32Array;
  /** X E^T / n, V x width; with a bias unit its column, the last, holds the bits' means. */
  readonly B: Float32Array | Float64Array;
  readonly V: number;
}

/**
 * Learns the worst-case optimal decoder (Thm. 1) for codes that anything made, an autoencoder say:
 *
 *     const { loss, decode } = await fitDecoder(codes, rows);
 *     const same = await fitDecoder({ codes, B, V });      // the rows themselves are not needed, only B
 *
 * Codes may have any scale. The weights are proven to be within `gap` of the best ones, as a rule less than `tolerance`.
 */
export async function fitDecoder(
  codes: Float32Array,
  rows: RowsInput,
  options?: DecoderOptions,
): Promise<FittedDecoder>;
export async function fitDecoder(
  known: CodesAndCorrelations,
  options?: DecoderOptions,
): Promise<FittedDecoder>;
export async function fitDecoder(
  first: Float32Array | CodesAndCorrelations,
  second?: RowsInput | DecoderOptions,
  third?: DecoderOptions,
): Promise<FittedDecoder> {
  const given = first instanceof Float32Array;
  const options = (given ? third : (second as DecoderOptions)) ?? {};
  const bias = options.bias ?? true;
  const { H, ...problem } = given
    ? withRows(first, second as RowsInput)
    : withCorrelations(first as CodesAndCorrelations, bias);
  const n = problem.codes.length / H;
  const rowWeights = options.rowWeights && checkedRowWeights(options.rowWeights, n, 'fitDecoder');
  const counted = rowWeights ? rowWeights.filter((weight) => weight > 0).length : n;
  const { loss = crossEntropy, tolerance = 0.01, ridge = defaultRidge(counted) } = options;
  if (!(ridge >= 0)) throw new RangeError(`fitDecoder: ridge must be at least 0, got ${ridge}`);
  if (!(tolerance > 0))
    throw new RangeError(`fitDecoder: tolerance must be more than 0 nats, got ${tolerance}`);
  const engine = options.engine ?? (await defaultEngine());
  const began = performance.now();
  const settings = { bias, loss, ridge, tolerance };
  const eps = options.l1 ? checkedL1(options.l1, problem.V) : undefined;
  const learned = eps
    ? await learnRelaxedDecoder(engine, { ...problem, rows: needed(problem.rows), rowWeights }, H, {
        ...settings,
        eps,
      })
    : await learnDecoder(engine, { ...problem, rowWeights }, H, settings);
  const { W, gap, residual, curvature } = learned;
  const model = new PCAE({
    ...{ V: problem.V, H, bias, W, curvature, reconstructionLoss: loss },
    B: Float32Array.from(learned.B),
    encoding: options.encoding ?? 'real',
    radius: options.encoding && options.encoding !== 'real' ? 1 : ROOM * largest(problem.codes),
    training: {
      ...{
        algorithm: 'decoder',
        n,
        ridge: eps ? 0 : ridge,
        l1: recorded(options.l1),
        seed: 0,
        epochs: 0,
        history: [],
      },
      ...{ loss: learned.loss, gap: Math.min(gap, Number.MAX_VALUE) },
      seconds: (performance.now() - began) / 1000,
      stopped: 'converged',
      converged: gap <= tolerance,
    },
  });
  return {
    ...{ W, B: model.B, loss: learned.loss, gap, residual, model },
    decode: (some) => model.decode(some, { engine }),
    guarantee: (drift) => model.guarantee(drift),
  };
}

/** New rows may need codes a little larger than any that was seen. */
const ROOM = 4;

function withRows(codes: Float32Array, input: RowsInput): DecoderProblem & { H: number } {
  const rows = asRows(input);
  const { n, V } = rows;
  if (codes.length === 0 || codes.length % n !== 0) {
    throw new RangeError(
      `fitDecoder: expected one code of H numbers for each of the ${n} rows, got ${codes.length} numbers`,
    );
  }
  const H = codes.length / n;
  checkCodes(codes, H);
  return { V, H, codes, rows };
}

function withCorrelations(known: CodesAndCorrelations, bias: boolean): DecoderProblem & { H: number } {
  const { codes, B, V } = known;
  const width = B.length / V;
  const H = bias ? width - 1 : width;
  if (!Number.isInteger(H) || H < 1) {
    const columns = bias ? "H + 1 columns (the last holds the bits' means)" : 'H columns';
    throw new RangeError(
      `fitDecoder: B must have V = ${V} rows of ${columns}, got ${B.length} numbers in all`,
    );
  }
  if (codes.length === 0 || codes.length % H !== 0) {
    throw new RangeError(`fitDecoder: expected codes of H = ${H} numbers, got ${codes.length} numbers`);
  }
  checkCodes(codes, H);
  const wrong = B.findIndex((value) => !Number.isFinite(value));
  if (wrong >= 0)
    throw new RangeError(`fitDecoder: B holds ${B[wrong]} for bit ${Math.floor(wrong / width)}`);
  return { V, H, codes, B };
}

function checkCodes(codes: Float32Array, H: number): void {
  const wrong = codes.findIndex((value) => !Number.isFinite(value));
  if (wrong < 0) return;
  throw new RangeError(
    `fitDecoder: codes must be finite, found ${codes[wrong]} in row ${Math.floor(wrong / H)}, unit ${wrong % H}`,
  );
}

function checkedL1(l1: number | ArrayLike<number>, V: number): Float64Array {
  const eps = typeof l1 === 'number' ? new Float64Array(V).fill(l1) : Float64Array.from(l1);
  if (eps.length !== V || eps.some((value) => !(value >= 0 && Number.isFinite(value)))) {
    throw new RangeError(`fitDecoder: l1 must be a number of at least 0, or one for each of the ${V} bits`);
  }
  return eps;
}

function needed(rows: Rows | undefined): Rows {
  if (rows) return rows;
  throw new RangeError('fitDecoder: l1 needs the rows, not their correlations alone');
}

/** The relaxation as a model's record keeps it. */
function recorded(l1: DecoderOptions['l1']): number | readonly number[] {
  return typeof l1 === 'object' ? Array.from(l1) : (l1 ?? 0);
}

function largest(codes: Float32Array): number {
  return codes.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-6);
}

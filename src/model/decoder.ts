import { type Engine, floatsOf, widthOf } from '../engine/engine.ts';
import { withEngine } from '../engine/scope.ts';
import { aboutColumns } from '../rows/about.ts';
import type { RowsInput } from '../rows/input.ts';
import { withBias } from '../solvers/codes.ts';
import type { DecoderProblem } from '../training/decoder/certificate.ts';
import type { DecoderSettings, LearnedDecoder } from '../training/decoder/decoder.ts';
import { learnDecoder, relativeWeights } from '../training/decoder/decoder.ts';
import { learnRobustDecoder } from '../training/decoder/robust.ts';
import { ROOM } from '../training/finish.ts';
import { slackFloor } from '../training/refine/proof.ts';
import { learnRelaxedDecoder } from '../training/relaxed/decoder.ts';
import type { CodesAndCorrelations, DecoderInput, DecoderOptions } from './decoder-input.ts';
import { momentsOf, needed, readInput } from './decoder-input.ts';
import type { Drift, Guarantee } from './guarantee.ts';
import { PCAE } from './model.ts';

export type { CodesAndCorrelations, DecoderOptions } from './decoder-input.ts';

/** The decoding layer of Sec. 2 for given codes. */
export interface FittedDecoder {
  /** Weights for the codes as they were given: V x width, the bias last where there is one. */
  readonly W: Float32Array;
  /** The codes' correlations with the rows, X E^T / n: V x width. */
  readonly B: Float32Array;
  /**
   * The slack (1/2) sum_v gamma(w_v, b_v), the largest loss of any rows with these codes and correlations.
   */
  readonly loss: number;
  /**
   * Proven bound on how far the penalised slack is above its minimum; Infinity if ridge is 0 and neither l1
   * nor sets are given.
   */
  readonly weightGap: number;
  /**
   * Proven bound on how far the slack itself, without any penalty, is above its minimum (Thm. 1). Absent if
   * it is not proven: with l1 or sets, from correlations alone, and for losses with kinks.
   */
  readonly slackGap?: number;
  /** The largest difference between B and the correlations that the decoder itself would make (App. A.2). */
  readonly residual: number;
  /** The decoder as a model: decode, guarantee, save, and encode new rows with it (Prop. 2). */
  readonly model: PCAE;
  /** Reconstructions in [-1, 1] of codes (n x H): n x V. */
  decode(codes: ArrayLike<number>): Promise<Float32Array>;
  guarantee(drift?: Drift): Guarantee;
}

/**
 * Learns the worst-case optimal decoder (Thm. 1) for codes of any origin, such as another autoencoder:
 *
 *     const { loss, decode } = await fitDecoder(codes, rows);
 *     const same = await fitDecoder({ codes, B, V });      // only B is needed, not the rows
 *
 * Codes may have any scale. The weights are proven to be within `weightGap` of the best ones, usually less
 * than `tolerance`.
 */
export async function fitDecoder(
  codes: ArrayLike<number>,
  rows: RowsInput,
  options?: DecoderOptions,
): Promise<FittedDecoder>;
export async function fitDecoder(
  known: CodesAndCorrelations,
  options?: DecoderOptions,
): Promise<FittedDecoder>;
export async function fitDecoder(
  first: ArrayLike<number> | CodesAndCorrelations,
  second?: RowsInput | DecoderOptions,
  third?: DecoderOptions,
): Promise<FittedDecoder> {
  const input = await readInput(first, second, third);
  const { engine } = input.options;
  const began = performance.now();
  const learned = await withEngine(input.options, (engine) => learnWeights(engine, input));
  const model = modelOf(input, learned, (performance.now() - began) / 1000);
  const { W, loss, gap: weightGap, slackGap, residual } = learned;
  return {
    W,
    B: model.B,
    loss,
    weightGap,
    slackGap,
    residual,
    model,
    decode: (some) => model.decode(some, { engine }),
    guarantee: (drift) => model.guarantee(drift),
  };
}

/** Weights, the ridge they were learned with, and what is proven of their slack. */
type LearnedWeights = LearnedDecoder & { readonly ridge: number; readonly slackGap?: number };

/**
 * Learns the weights under what was asked for: sets of drifts, a relaxation, a given ridge or as little as it
 * takes.
 */
async function learnWeights(engine: Engine, input: DecoderInput): Promise<LearnedWeights> {
  const { problem, settings, options, sets, eps } = input;
  if (sets) return { ...(await learnRobustDecoder(engine, problem, { ...settings, sets })), ridge: 0 };
  if (eps) {
    const relaxed = { ...problem, rows: needed(problem.rows, 'l1') };
    return { ...(await learnRelaxedDecoder(engine, relaxed, { ...settings, eps })), ridge: 0 };
  }
  if (options.ridge === undefined) return learnWithLittleRidge(engine, problem, settings);
  const found = await learnDecoder(engine, problem, settings);
  const slackGap = await slackGapOf(engine, problem, found, settings);
  return { ...found, ridge: settings.ridge, slackGap };
}

function modelOf(
  { problem, settings, options, encoding }: DecoderInput,
  { W, B, loss, gap: weightGap, slackGap, curvature, ridge }: LearnedWeights,
  seconds: number,
): PCAE {
  const { V, H, codes, rows, rowWeights } = problem;
  const { bias, tolerance } = settings;
  return new PCAE({
    V,
    H,
    bias,
    encoding: encoding.name,
    W,
    curvature,
    reconstructionLoss: settings.loss,
    B: Float32Array.from(B),
    moments: momentsOf(codes, H, bias, rowWeights),
    radius: encoding.bounded ? 1 : ROOM * largest(codes),
    ...(rows && aboutColumns(rows)),
    training: {
      algorithm: 'decoder',
      n: codes.length / H,
      ridge,
      l1: recorded(options.l1),
      seed: 0,
      epochs: 0,
      history: [],
      loss,
      ...(Number.isFinite(weightGap) && { weightGap }),
      slackGap,
      seconds,
      stopped: 'converged',
      converged: weightGap <= tolerance,
    },
  });
}

/**
 * Lowers the ridge, tenfold each time, until the slack is proven to be close to its minimum or lowering gains
 * almost nothing. Codes that separate their rows well need large weights, and the usual ridge would cost more
 * than the whole remaining loss.
 */
async function learnWithLittleRidge(
  engine: Engine,
  problem: DecoderProblem,
  settings: DecoderSettings,
): Promise<LearnedWeights> {
  let { ridge } = settings;
  let found = await learnDecoder(engine, problem, settings);
  let slackGap: number | undefined;
  for (let k = 0; k < TENTHS; k++) {
    const next = await learnDecoder(engine, problem, { ...settings, ridge: ridge / 10 }, found.W);
    const gained = found.loss - next.loss;
    if (!(gained > 0)) break;
    ridge /= 10;
    found = next;
    if (gained > MUCH * next.loss) continue;
    slackGap = await slackGapOf(engine, problem, found, settings);
    if ((slackGap ?? gained) <= LITTLE * found.loss) break;
  }
  return { ...found, ridge, slackGap: slackGap ?? (await slackGapOf(engine, problem, found, settings)) };
}

/** Proven bound on how far the slack is above the smallest that any weights reach at these codes. */
async function slackGapOf(
  engine: Engine,
  { V, H, rows, codes, rowWeights }: DecoderProblem,
  { W, loss: slack }: LearnedDecoder,
  { bias, loss }: DecoderSettings,
): Promise<number | undefined> {
  if (!rows || !Number.isFinite(loss.curvature)) return undefined;
  const shape = { V, H, bias };
  const at = {
    block: engine.load(rows),
    shape,
    W: floatsOf(engine, W),
    E: floatsOf(engine, withBias(codes, H, widthOf(shape))),
    loss,
  };
  const weights = rowWeights && floatsOf(engine, relativeWeights(rowWeights));
  return Math.max(0, slack - (await slackFloor(engine, { ...at, rowWeights: weights })));
}

/**
 * How often the ridge is lowered at most; then, as shares of the loss, a gain that is almost nothing, and one
 * so large that a proof would be premature.
 */
const TENTHS = 7;
const LITTLE = 5e-3;
const MUCH = 0.05;

/** The relaxation as a model's record keeps it. */
function recorded(l1: DecoderOptions['l1']): number | readonly number[] {
  return typeof l1 === 'object' ? Array.from(l1) : (l1 ?? 0);
}

function largest(codes: Float32Array): number {
  return codes.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-6);
}

import { encodingNames, encodingOf } from '../encodings/by-name.ts';
import type { EncodingName } from '../encodings/encoding.ts';
import { type Engine, floatsOf, widthOf } from '../engine/engine.ts';
import { type Where, withEngine } from '../engine/scope.ts';
import { crossEntropy } from '../losses/cross-entropy.ts';
import type { Loss } from '../losses/loss.ts';
import type { DriftSet } from '../math/drift-sets.ts';
import { aboutColumns } from '../rows/about.ts';
import type { RowsInput } from '../rows/input.ts';
import type { Rows } from '../rows/rows.ts';
import { checkedRowWeights } from '../rows/weights.ts';
import { withBias } from '../solvers/codes.ts';
import { checksFor } from '../training/checks.ts';
import type { DecoderProblem } from '../training/decoder/certificate.ts';
import {
  type DecoderSettings,
  type LearnedDecoder,
  learnDecoder,
  relativeWeights,
} from '../training/decoder/decoder.ts';
import { learnRobustDecoder } from '../training/decoder/robust.ts';
import { defaultRidge } from '../training/defaults.ts';
import { ROOM } from '../training/finish.ts';
import { slackFloor } from '../training/refine/proof.ts';
import { learnRelaxedDecoder } from '../training/relaxed/decoder.ts';
import {
  asFloats,
  type CodesAndCorrelations,
  checkCorrelations,
  checkEncoding,
  momentsOf,
  reachOf,
  withCorrelations,
  withRows,
} from './decoder-input.ts';
import type { Drift, Guarantee } from './guarantee.ts';
import { PCAE } from './model.ts';
import { codeMatrix, sourceEllipsoids } from './source-sets.ts';

export type { CodesAndCorrelations } from './decoder-input.ts';

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

/** The decoding layer of Sec. 2 for given codes. */
export interface FittedDecoder {
  /** Weights for the codes as they were given: V x width, the bias last where there is one. */
  readonly W: Float32Array;
  /** The codes' correlations with the rows, X E^T / n: V x width. */
  readonly B: Float32Array;
  /** The slack (1/2) sum_v gamma(w_v, b_v), the largest loss of any rows with these codes and correlations. */
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
  const { bias = true, encoding = 'real' } = options;
  const { H, ...problem } = apart
    ? withCorrelations(first, bias)
    : await withRows(asFloats(first), second as RowsInput, options.signal);
  const { V, codes, B } = problem;
  const n = codes.length / H;
  const rowWeights = options.rowWeights && checkedRowWeights(options.rowWeights, n, 'fitDecoder');
  const counted = rowWeights ? rowWeights.filter((weight) => weight > 0).length : n;
  const { loss = crossEntropy, tolerance = 0.01, ridge = defaultRidge(counted) } = options;
  const check = checksFor('fitDecoder');
  check.oneOf('encoding', encoding, encodingNames);
  check.loss(loss);
  check.atLeast('ridge', ridge, 0);
  check.moreThan('tolerance', tolerance, 0);
  checkEncoding(codes, H, encodingOf(encoding));
  const sets = checkedSets(options, { ...problem, H, bias });
  // With sets, B may come from a part of the rows and exceed what all of them can have.
  if (B && !sets) checkCorrelations(B, V, reachOf(codes, H, bias, rowWeights));
  const began = performance.now();
  const settings = { bias, loss, ridge, tolerance };
  const eps = options.l1 === undefined || options.l1 === 0 ? undefined : checkedL1(options.l1, V);
  const known = { ...problem, rowWeights };
  const learned = await withEngine(options, async (engine) => {
    if (sets) {
      const found = await learnRobustDecoder(engine, known, H, { ...settings, sets });
      return { ...found, ridge: 0, slackGap: undefined };
    }
    if (eps) {
      const relaxed = { ...known, rows: needed(problem.rows, 'l1') };
      return {
        ...(await learnRelaxedDecoder(engine, relaxed, H, { ...settings, eps })),
        ridge: 0,
        slackGap: undefined,
      };
    }
    if (options.ridge === undefined) return learnWithLittleRidge(engine, known, H, settings);
    const found = await learnDecoder(engine, known, H, settings);
    return { ...found, ridge, slackGap: await slackGapOf(engine, known, found, settings) };
  });
  const { W, gap: weightGap, slackGap, residual, curvature } = learned;
  const model = new PCAE({
    ...{ V, H, bias, encoding, W, curvature, reconstructionLoss: loss },
    B: Float32Array.from(learned.B),
    moments: momentsOf(codes, H, bias, rowWeights),
    radius: encodingOf(encoding).bounded ? 1 : ROOM * largest(codes),
    ...(problem.rows && aboutColumns(problem.rows)),
    training: {
      ...{
        algorithm: 'decoder',
        n,
        ridge: learned.ridge,
        l1: recorded(options.l1),
        seed: 0,
        epochs: 0,
        history: [],
      },
      loss: learned.loss,
      ...(Number.isFinite(weightGap) && { weightGap }),
      slackGap,
      seconds: (performance.now() - began) / 1000,
      stopped: 'converged',
      converged: weightGap <= tolerance,
    },
  });
  return {
    ...{ W, B: model.B, loss: learned.loss, weightGap, slackGap, residual, model },
    decode: (some) => model.decode(some, { engine: options.engine }),
    guarantee: (drift) => model.guarantee(drift),
  };
}

/**
 * Lowers the ridge, tenfold each time, until the slack is proven to be close to its minimum or lowering gains
 * almost nothing. Codes that separate their rows well need large weights, and the usual ridge would cost more
 * than the whole remaining loss.
 */
async function learnWithLittleRidge(
  engine: Engine,
  problem: DecoderProblem,
  H: number,
  settings: DecoderSettings,
): Promise<LearnedDecoder & { readonly ridge: number; readonly slackGap?: number }> {
  let { ridge } = settings;
  let found = await learnDecoder(engine, problem, H, settings);
  let slackGap: number | undefined;
  for (let k = 0; k < TENTHS; k++) {
    const next = await learnDecoder(engine, problem, H, { ...settings, ridge: ridge / 10 }, found.W);
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
  { V, rows, codes, rowWeights }: DecoderProblem,
  { W, loss: slack }: LearnedDecoder,
  { bias, loss }: DecoderSettings,
): Promise<number | undefined> {
  if (!rows || !Number.isFinite(loss.curvature)) return undefined;
  const H = codes.length / rows.n;
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

function checkedL1(l1: number | ArrayLike<number>, V: number): Float64Array {
  const eps = typeof l1 === 'number' ? new Float64Array(V).fill(l1) : Float64Array.from(l1);
  if (eps.length !== V || eps.some((value) => !(value >= 0 && Number.isFinite(value)))) {
    throw new RangeError(`fitDecoder: l1 must be a number of at least 0, or one for each of the ${V} bits`);
  }
  return eps;
}

function checkedSets(
  { sets: asked, l1, ridge, rowWeights }: DecoderOptions,
  { V, H, bias, codes, rows }: DecoderProblem & { readonly H: number; readonly bias: boolean },
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

function needed(rows: Rows | undefined, what: string): Rows {
  if (rows) return rows;
  throw new RangeError(`fitDecoder: ${what} needs the rows, not their correlations alone`);
}

/** The relaxation as a model's record keeps it. */
function recorded(l1: DecoderOptions['l1']): number | readonly number[] {
  return typeof l1 === 'object' ? Array.from(l1) : (l1 ?? 0);
}

function largest(codes: Float32Array): number {
  return codes.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-6);
}

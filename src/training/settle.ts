import type { CodeSet } from '../encodings/encoding.ts';
import {
  type Engine,
  type Floats,
  floatsOf,
  type Range,
  type Shape,
  WIDE,
  widthOf,
} from '../engine/engine.ts';
import { correlated } from '../engine/products.ts';
import type { Certificates } from '../engine/proofs.ts';
import type { Loss } from '../losses/loss.ts';
import { weightedSum } from '../rows/weights.ts';
import { clearCodes, withoutBias } from '../solvers/codes.ts';
import { Encoder } from '../solvers/encode.ts';
import type { PlacedBlock, TrainingData } from './data.ts';

/** What learning leaves behind: all that a model remembers of the data. */
export interface Fitted {
  /** V x width. */
  readonly W: Float32Array;
  /**
   * Correlations of bits with units, X E^T / n: V x width. With a bias unit, its column holds the bits'
   * means. Missing entries count as 0.
   */
  readonly B: Float32Array;
  /** Second moments of the codes, E E^T / n, the bias unit's 1 included: width x width. */
  readonly moments: Float32Array;
  /** Mean over rows of Psi''(m_v) / 2: what preconditions the encoding of new rows. */
  readonly curvature: Float32Array;
  /** Codes were found, and are proven optimal, among those with |e_h| <= radius. */
  readonly radius: number;
  /** Mean training loss at the final codes; by Thm. 1 also the slack (1/2) sum_v gamma(w_v, b_v). */
  readonly loss: number;
  /** Mean certified gap of those codes; if they were not certified, the looser gap of Frank and Wolfe. */
  readonly meanGap: number;
  /**
   * No other weights are better than W by more than this for the codes that W was last fitted to, including
   * the penalty on weights: the ridge, or (1/2) sum_v eps_v |w_v|_1 of relaxed models. Absent if it was not
   * proven.
   */
  readonly weightGap?: number;
  /** No weights have a slack for B that is lower by more than this (Thm. 1). Absent if it was not proven. */
  readonly slackGap?: number;
  /** Codes of bits: the factor on scores in a search by likelihood; see src/search/temperature.ts. */
  readonly temperature?: number;
  /** n x H, in the order of the rows; absent when codes are not kept. */
  readonly codes?: Float32Array;
}

/** Weights and codes as learning left them. */
export interface Learnt {
  readonly shape: Shape;
  readonly W: Floats;
  /** One code per row, or storage for one block of codes if codes are not kept. */
  readonly E: Floats;
  readonly curvature: Float64Array;
}

/** Receives the progress of the end of learning: the share of the phase, and the loss if it has changed. */
export type ReportEnding = (phase: 'refine' | 'finish', fraction: number, loss?: number) => void;

export interface SettleOptions {
  readonly loss: Loss;
  readonly radius: number;
  /** The set that codes are confined to, of size `radius`, if it is not the box. */
  readonly set?: CodeSet;
  readonly keepCodes: boolean;
  /** Prove every code to be within 0.01 nats of its optimum, as the encoder does for new rows. */
  readonly certify: boolean;
  /** Whether E holds codes that are close to their optimum. */
  readonly warm: boolean;
  /** If time is limited: the seconds that are left. */
  readonly left?: () => number;
  /** The additional seconds that codes may take rather than stay unproven. */
  readonly late?: number;
  readonly report?: ReportEnding;
  /** V x H of 0 and 1: correlations of pairs with 0 are not remembered. */
  readonly chosen?: Uint8Array;
}

/**
 * Finds every training row's code under the final W, without ridge, and measures loss, gap and B from them.
 * Certified codes are the encoder's own: encoding a training row later gives the very same code.
 */
export async function settle(
  engine: Engine,
  data: TrainingData,
  learnt: Learnt,
  options: SettleOptions,
): Promise<Fitted> {
  const { shape, E } = learnt;
  const { keepCodes, radius, set, loss, left, late = 0, report } = options;
  const { V, H } = shape;
  const width = widthOf(shape);
  const W = await learnt.W.read();
  const curvature = Float32Array.from(learnt.curvature);
  const columnWeights = data.columnWeights?.values;
  const encoder = await Encoder.create(engine, { shape, W, loss, radius, set, curvature, columnWeights });
  const B = new Float64Array(V * width);
  const moments = new Float64Array(width * width);
  const totals = { loss: 0, meanGap: 0 };
  const codes = keepCodes ? new Float32Array(data.n * H) : undefined;
  let slackGap: number | undefined;
  // Whoever tells the time that is left needs to know when this began.
  report?.('finish', 0);
  for await (const placed of data.blocks()) {
    const { block, offset } = placed;
    const weights = placed.rowWeights?.values;
    const from = keepCodes ? offset : 0;
    if (!options.warm) clearCodes(E, shape, { start: from, end: from + block.n });
    const steps = options.warm ? WARM_STEPS : COLD_STEPS;
    const coded = { block, E, offset: from };
    const approach: OnCodes = (range) => encoder.approach({ ...coded, range }, steps);
    const certify: OnCodes = (range) => encoder.encodeBlock({ ...coded, range }, CERTIFIED);
    let pieces = { size: pieceRows(engine, V), work: options.certify ? certify : approach };
    if (options.certify && left) {
      const { provingInTime } = await import('./seconds.ts');
      const rest = () => left() + late;
      pieces = await provingInTime(block.n, data.n - offset, { approach, certify }, rest);
    }
    const { losses, gaps } = await certificatesOf(block.n, pieces, ({ end }) =>
      report?.('finish', (offset + end) / data.n),
    );
    totals.loss += weightedSum(losses, weights) / data.n;
    totals.meanGap += weightedSum(gaps, weights) / data.n;
    const stored = await E.read(from * width, (from + block.n) * width);
    await remember(engine, placed, stored, { B, moments, n: data.n });
    if (codes) gatherCodes(withoutBias(stored, H, width), offset, H, data.order, codes);
    const whole = keepCodes && block.n === data.n && engine.newtonian(loss, H);
    // Limited time is better spent on learning.
    if (whole && options.certify && Number.isFinite(loss.curvature) && !left) {
      const at = { block, shape, W: learnt.W, E, loss, columnWeights: data.columnWeights?.floats };
      const { slackGapOf } = await import('./refine/proof.ts');
      slackGap = await slackGapOf(engine, { ...at, rowWeights: placed.rowWeights?.floats }, totals.loss);
    }
  }
  encoder.free();
  if (options.chosen) {
    for (let i = 0; i < V * H; i++) if (!options.chosen[i]) B[Math.floor(i / H) * width + (i % H)] = 0;
  }
  return {
    W,
    B: Float32Array.from(B),
    moments: Float32Array.from(moments),
    curvature,
    radius,
    ...totals,
    slackGap,
    codes,
  };
}

/** Adds what a model remembers of n rows: the share of a block with these codes. */
async function remember(
  engine: Engine,
  { block, rowWeights }: PlacedBlock,
  codes: Float32Array,
  { B, moments, n }: { readonly B: Float64Array; readonly moments: Float64Array; readonly n: number },
): Promise<void> {
  const width = codes.length / block.n;
  const E = floatsOf(engine, codes);
  (await engine.gram(E, block.n, width, rowWeights?.floats)).forEach((sum, i) => {
    moments[i] += sum / n;
  });
  if (rowWeights) E.write(codes.map((e, k) => rowWeights.values[Math.floor(k / width)] * e));
  (await correlated(engine, block, E, width)).forEach((sum, i) => {
    B[i] += sum / n;
  });
  E.free();
}

/** Work on the codes of a range of rows. */
export type OnCodes = (range: Range) => Promise<Certificates>;

/** Rows between two reports: fewer in a wide table, where each takes longer. */
function pieceRows({ rowsAtOnce }: Engine, V: number): number {
  return Math.ceil(rowsAtOnce * Math.min(1, WIDE / V));
}

/** The certificates of n rows, worked on in pieces of `size` rows. */
async function certificatesOf(
  n: number,
  { size, work }: { readonly size: number; readonly work: OnCodes },
  told: (range: Range) => void,
): Promise<Certificates> {
  const losses = new Float64Array(n);
  const gaps = new Float64Array(n);
  for (let start = 0; start < n; start += size) {
    const range = { start, end: Math.min(n, start + size) };
    const found = await work(range);
    losses.set(found.losses, start);
    gaps.set(found.gaps, start);
    told(range);
  }
  return { losses, gaps };
}

/** Nats within which the encoder proves codes optimal by default. */
export const CERTIFIED = 0.01;
/** Steps on codes that are not certified: on one that is close, and on one that starts at 0. */
const WARM_STEPS = 5;
export const COLD_STEPS = 40;

/** Puts a block's codes in the order in which their rows were given. */
export function gatherCodes(
  block: Float32Array,
  offset: number,
  H: number,
  order: Uint32Array | undefined,
  out: Float32Array,
): void {
  for (let i = 0; i * H < block.length; i++) {
    const row = order ? order[offset + i] : offset + i;
    out.set(block.subarray(i * H, (i + 1) * H), row * H);
  }
}

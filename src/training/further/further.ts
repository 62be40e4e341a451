import type { Encoding } from '../../encodings/encoding.ts';
import { type Block, type Engine, type Floats, floatsOf, type Shape, widthOf } from '../../engine/engine.ts';
import { correlated } from '../../engine/products.ts';
import type { Loss } from '../../losses/loss.ts';
import type { Rows } from '../../rows/rows.ts';
import { weightedSum } from '../../rows/weights.ts';
import { createEncoder } from '../../solvers/create-encoder.ts';
import { lookAt } from '../look.ts';
import { safeShare } from './caution.ts';
import { Weights } from './weights.ts';

/** What a model remembers of the n rows that it stands for. */
export interface Remembered {
  readonly n: number;
  /** Their mean loss. */
  readonly loss: number;
  /** V x width. */
  readonly W: Float32Array;
  /** X E^T / n: V x width. */
  readonly B: Float32Array;
  /** E E^T / n, the bias unit's 1 included: width x width. */
  readonly moments: Float32Array;
  /** Mean over rows of Psi''(m_v) / 2. */
  readonly curvature: Float32Array;
}

export interface FurtherSettings {
  readonly shape: Shape;
  readonly encoding: Encoding;
  readonly radius: number;
  readonly loss: Loss;
  /** (ridge/2) |w|^2 for codes of unit size, as in learning. */
  readonly ridge: number;
  readonly columnWeights?: Float32Array;
  /** V x width: 0 for weights that stay as they are. Absent: all may move. */
  readonly allowed?: Uint8Array;
  readonly seed: number;
}

/** The same of all rows, their loss an estimate: what the rows before lost is what imagined ones lost. */
export interface Further extends Remembered {
  /** Mean loss and certified gap of the new rows. */
  readonly fresh: { readonly loss: number; readonly gap: number };
}

/**
 * Learns from m more rows, beside the n that a model stands for. Those are gone, but the model remembers
 * enough of them to imagine others in their place: codes with the same second moments, and for each code e
 * the row that W itself hallucinates, x = Psi'(W e) (App. A.2), at which W is optimal. They weigh as much as
 * n rows, the new ones as much as m; so what is minimised, in turns over the codes of all these rows (Prop.
 * 2) and the weights (Thm. 1), has its minimum at the old W where nothing new is said, and is bent there as
 * the loss of the old rows is. The rows that are gone would have found new codes too: with codes that stay,
 * they resist three times as much. Of the step that this asks for, as much is taken as cannot make rows of
 * the old kind much worse.
 */
export async function learnFurther(
  engine: Engine,
  before: Remembered,
  rows: Rows,
  settings: FurtherSettings,
): Promise<Further> {
  const { shape } = settings;
  const width = widthOf(shape);
  const block = engine.load(rows);
  const codes = engine.floats(rows.n * width);
  const encode = async (W: Float32Array, tolerance: number) => {
    const decoder = { ...settings, W, curvature: before.curvature };
    const encoder = await createEncoder(engine, settings.encoding, decoder);
    const { losses, gaps } = await encoder.encodeBlock({ block, E: codes }, tolerance);
    encoder.free();
    return { loss: weightedSum(losses) / rows.n, gap: weightedSum(gaps) / rows.n };
  };
  const unseen = await encode(before.W, ON_THE_WAY);
  const problem = await Weights.open(engine, before, rows, settings);
  let W = await problem.solve(before.W, await codes.read());
  for (let round = 1; round < ROUNDS; round++) {
    await encode(W, ON_THE_WAY);
    await problem.follow(W);
    const from = W;
    W = await problem.solve(W, await codes.read());
    // Codes and weights in turns creep along the valley that they share.
    if (round + 1 < ROUNDS) W = between(from, W, CARRIED);
  }
  const mean = (before.n * before.loss + rows.n * unseen.loss) / (before.n + rows.n);
  const step = { n: before.n, m: rows.n, loss: mean, cost: await problem.cost(W) };
  W = between(before.W, W, safeShare(step));
  const { loss, gap } = await encode(W, CERTIFIED);
  const cost = await problem.cost(W);
  problem.free();
  const measured = await measure(engine, block, codes, W, settings);
  const mixed = (old: Float32Array, fresh: ArrayLike<number>) =>
    old.map((value, k) => (before.n * value + rows.n * fresh[k]) / (before.n + rows.n));
  for (const used of [block, codes]) used.free();
  return {
    n: before.n + rows.n,
    W,
    B: mixed(before.B, measured.B),
    moments: mixed(before.moments, measured.moments),
    curvature: mixed(before.curvature, measured.curvature),
    loss: (before.n * (before.loss + cost) + rows.n * loss) / (before.n + rows.n),
    fresh: { loss, gap },
  };
}

/** The point at a share of the way. */
function between(from: Float32Array, to: Float32Array, share: number): Float32Array {
  return from.map((w, k) => w + share * (to[k] - w));
}

/** Codes and weights take so many turns, and in between W is carried on to so many times its way. */
const ROUNDS = 3;
const CARRIED = 2;
/** Nats within which codes are found while weights still move, and at the end. */
const ON_THE_WAY = 0.1;
const CERTIFIED = 0.01;

/**
 * What new rows add to the memory: their correlations and moments, and the curvature of each bit at their
 * codes.
 */
async function measure(
  engine: Engine,
  block: Block,
  codes: Floats,
  weights: Float32Array,
  { shape, loss }: FurtherSettings,
): Promise<Record<'B' | 'moments' | 'curvature', Float64Array>> {
  const { n } = block;
  const width = widthOf(shape);
  const W = floatsOf(engine, weights);
  const found = {
    B: Float64Array.from(await correlated(engine, block, codes, width), (sum) => sum / n),
    moments: (await engine.gram(codes, n, width)).map((sum) => sum / n),
    curvature: (await lookAt(engine, { block, shape, W, E: codes, loss })).curvature,
  };
  W.free();
  return found;
}

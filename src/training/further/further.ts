import type { Encoding } from '../../encodings/encoding.ts';
import {
  type Block,
  type Engine,
  type Floats,
  floatsOf,
  type Point,
  type Shape,
  widthOf,
} from '../../engine/engine.ts';
import type { Loss } from '../../losses/loss.ts';
import { inverse } from '../../math/linear.ts';
import { entry, type Rows } from '../../rows/rows.ts';
import { weightedSum } from '../../rows/weights.ts';
import { createEncoder } from '../../solvers/create-encoder.ts';
import { TYPICAL_CURVATURE } from '../minibatch.ts';
import { type Axes, axesOf } from './axes.ts';
import { safeShare } from './caution.ts';
import { type Imagined, imagine } from './imagined.ts';

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
 * Learns from m more rows, beside the n that a model stands for. Those are gone, but the model remembers enough of them
 * to imagine others in their place: codes with the same second moments, and for each code e the row that W itself
 * hallucinates, x = Psi'(W e) (App. A.2), at which W is optimal. They weigh as much as n rows, the new ones as much as m; so
 * what is minimised, first in the new rows' codes (Prop. 2), then in the weights (Thm. 1), is convex in either, has
 * its minimum at the old W where nothing new is said, and is bent there as the loss of the old rows is. Of the step that
 * this asks for, as much is taken as cannot make rows of the old kind much worse.
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
    const { losses, gaps } = await encoder.encodeBlock(block, codes, tolerance);
    encoder.free();
    return { loss: weightedSum(losses) / rows.n, gap: weightedSum(gaps) / rows.n };
  };
  const unseen = await encode(before.W, ON_THE_WAY);
  const held = { ...settings, ridge: settings.ridge * surprise(unseen.loss, before.loss) ** 2 };
  const problem = await Weights.open(engine, before, rows, held);
  let W = await problem.solve(before.W, await codes.read());
  for (let round = 1; round < ROUNDS; round++) {
    await encode(W, ON_THE_WAY);
    W = await problem.solve(W, await codes.read());
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

/**
 * How much more rows cost that the weights have not seen. Weights that know their rows by heart bend next to nothing
 * there, and are not to be moved as freely as that for the sake of a new row: what is unseen bends more, as the square of
 * what it is off by.
 */
function surprise(unseen: number, seen: number): number {
  return Math.max(1, Math.min(MOST_SURPRISED, unseen / seen)) || 1;
}

/** The point at a share of the way. */
function between(from: Float32Array, to: Float32Array, share: number): Float32Array {
  return share < 1 ? from.map((w, k) => w + share * (to[k] - w)) : to;
}

const MOST_SURPRISED = 1e3;

/** Codes of the new rows and weights take so many turns. */
const ROUNDS = 3;
/** Nats within which codes are found while weights still move, and at the end. */
const ON_THE_WAY = 0.1;
const CERTIFIED = 0.01;
/** Imagined rows for each weight of a bit, and at least: enough for a Hessian that is not an accident of the draw. */
const IMAGINED = 16;
const LEAST_IMAGINED = 512;
/** Conjugate-gradient steps on the weights, at most; and the share of a row's nat per bit that is nothing to gain. */
const STEPS = 40;
const NOTHING = 1e-4;

/**
 * The convex problem of the weights, for imagined and new rows together: their mean loss, and (ridge/2) |w - w0|^2 in the
 * coordinates where imagined codes have second moments 1.
 */
class Weights {
  readonly #engine: Engine;
  readonly #settings: FurtherSettings;
  readonly #axes: Axes;
  readonly #start: Float32Array;
  readonly #imagined: number;
  readonly #total: number;
  /** For each bit. */
  readonly #stiffer: Float64Array;
  readonly #share: Float64Array;
  readonly #block: Block;
  readonly #E: Floats;
  readonly #rowWeights: Floats;

  private constructor(
    engine: Engine,
    before: Remembered,
    rows: Rows,
    settings: FurtherSettings,
    imagined: Imagined,
  ) {
    const { V } = settings.shape;
    const count = imagined.values.length / V;
    const all = count + rows.n;
    this.#engine = engine;
    this.#settings = settings;
    this.#axes = axesOf(imagined.codes, widthOf(settings.shape));
    this.#start = before.W;
    this.#imagined = count;
    this.#total = before.n + rows.n;
    this.#stiffer = imagined.stiffer;
    // Near the minimum, n rows that resist k times as much allow this share of what m new ones ask for.
    this.#share = imagined.stiffer.map((k) => this.#total / (k * before.n + rows.n));
    const codes = this.#axes.codes(imagined.codes);
    this.#E = engine.floats(all * this.#axes.count);
    this.#E.write(codes);
    // 1 in the mean over all rows of the block.
    const weights = new Float32Array(all).fill(all / this.#total);
    weights.fill((all * before.n) / count / this.#total, 0, count);
    this.#rowWeights = engine.floats(all);
    this.#rowWeights.write(weights);
    const values = new Float32Array(all * V);
    // The ridge draws weights to 0, and is to hold them at w0. The difference is linear in the weights, and so is what
    // entries add to the loss: with x = 2 ridge (w0 . e), for codes e of second moments 1, the mean of (1/2) x e is ridge w0.
    const pull = 2 * settings.ridge;
    for (let k = 0; k < imagined.values.length; k++)
      values[k] = imagined.values[k] + pull * imagined.scores[k];
    for (let i = 0; i < rows.n; i++) {
      for (let v = 0; v < V; v++) values[(count + i) * V + v] = entry(rows, i, v);
    }
    this.#block = engine.load({ kind: 'real', n: all, V, values });
  }

  static async open(
    engine: Engine,
    before: Remembered,
    rows: Rows,
    settings: FurtherSettings,
  ): Promise<Weights> {
    const count = Math.max(LEAST_IMAGINED, IMAGINED * widthOf(settings.shape));
    const { W, moments, curvature, n } = before;
    const memory = { ...settings, W, moments, curvature, seed: settings.seed + n };
    return new Weights(engine, before, rows, settings, await imagine(engine, memory, count));
  }

  /** The best weights where the new rows have these codes, from W on; those that are not allowed stay where they are. */
  async solve(W: Float32Array, codes: Float32Array): Promise<Float32Array> {
    const { allowed } = this.#settings;
    this.#E.write(this.#axes.codes(codes), this.#imagined * this.#axes.count);
    const width = W.length / this.#share.length;
    const moved = (await this.#descend(W)).map((w, k) => {
      return this.#start[k] + this.#share[Math.floor(k / width)] * (w - this.#start[k]);
    });
    if (!allowed) return moved;
    const step = moved.map((w, k) => (allowed[k] ? w - W[k] : 0));
    return this.#shorten(W, step);
  }

  /** How much the mean loss of the rows before is above its minimum, by the imagined ones. */
  async cost(W: Float32Array): Promise<number> {
    const { columnWeights, ridge, shape } = this.#settings;
    const [start, end] = [this.#axes.weights(this.#start), this.#axes.weights(W)];
    const losses = await this.#losses(this.#start, this.#imagined);
    const after = await this.#losses(W, this.#imagined);
    let cost = 0;
    for (let v = 0; v < shape.V; v++) {
      let pulled = 0;
      for (let k = v * this.#axes.count; k < (v + 1) * this.#axes.count; k++) {
        pulled += ridge * start[k] * (end[k] - start[k]);
      }
      cost += this.#stiffer[v] * (columnWeights?.[v] ?? 1) * Math.max(0, after[v] - losses[v] + pulled);
    }
    return cost;
  }

  free(): void {
    for (const held of [this.#block, this.#E, this.#rowWeights]) held.free();
  }

  /** The ridge's share fades as rows are added: it is a prior of the strength that it had for the rows before. */
  get #ridge(): number {
    return (this.#settings.ridge * (this.#total - this.#block.n + this.#imagined)) / this.#total;
  }

  async #descend(W: Float32Array): Promise<Float32Array> {
    const { count } = this.#axes;
    const { n } = this.#block;
    const ridge = this.#ridge;
    const second = await this.#engine.gram(this.#E, n, count, this.#rowWeights);
    const S = second.map((sum, k) => (TYPICAL_CURVATURE * sum) / n + (k % (count + 1) === 0 ? ridge : 0));
    const [moved, metric] = [
      floatsOf(this.#engine, this.#axes.weights(W)),
      floatsOf(this.#engine, inverse(S, count, 1e-6)),
    ];
    const tolerance = NOTHING / this.#total / this.#settings.shape.V;
    const options = { steps: STEPS, tolerance, inverseHessian: metric, ridge };
    await this.#engine.solve('weights', this.#at(moved), options);
    const found = this.#axes.back(await moved.read(), W);
    for (const floats of [moved, metric]) floats.free();
    return found;
  }

  /** W with the longest of a few parts of the step of each bit that does not raise its objective. */
  async #shorten(W: Float32Array, step: Float32Array): Promise<Float32Array> {
    const { V } = this.#settings.shape;
    const width = W.length / V;
    const out = W.slice();
    const before = await this.#objectives(W);
    const open = new Set(Array.from({ length: V }, (_, v) => v));
    for (let part = 1; part >= SHORTEST && open.size > 0; part /= 2) {
      const tried = W.map((w, k) => w + part * step[k]);
      const values = await this.#objectives(tried);
      for (const v of open) {
        if (!(values[v] <= before[v])) continue;
        open.delete(v);
        out.set(tried.subarray(v * width, (v + 1) * width), v * width);
      }
    }
    return out;
  }

  /** What is minimised, bit by bit. */
  async #objectives(W: Float32Array): Promise<Float64Array> {
    const { count } = this.#axes;
    const weights = this.#axes.weights(W);
    const ridge = this.#ridge;
    return (await this.#losses(W)).map((loss, v) => {
      let square = 0;
      for (let k = v * count; k < (v + 1) * count; k++) square += weights[k] ** 2;
      return loss + 0.5 * ridge * square;
    });
  }

  /** The mean loss of each bit, over all rows as they are weighted, or over the first ones alike. */
  async #losses(W: Float32Array, first?: number): Promise<Float64Array> {
    const { V } = this.#settings.shape;
    const { count } = this.#axes;
    const [at, metric, losses] = [floatsOf(this.#engine, this.#axes.weights(W)), count * count, V].map(
      (what) => (typeof what === 'number' ? this.#engine.floats(what) : what),
    );
    const only = first === undefined ? undefined : floatsOf(this.#engine, this.#imaginedAlone(first));
    const point = { ...this.#at(at), ...(only && { rowWeights: only }) };
    const options = { steps: 0, tolerance: 0, inverseHessian: metric, ridge: 0, losses };
    await this.#engine.solve('weights', point, options);
    const found = Float64Array.from(await losses.read());
    for (const floats of [at, metric, losses, only]) floats?.free();
    return found;
  }

  #imaginedAlone(first: number): Float32Array {
    return new Float32Array(this.#block.n).fill(this.#block.n / first, 0, first);
  }

  /** To the engine every axis is a unit like the others. */
  #at(W: Floats): Point {
    const { shape, loss } = this.#settings;
    const own = { V: shape.V, H: this.#axes.count, bias: false };
    return { block: this.#block, shape: own, W, E: this.#E, loss, rowWeights: this.#rowWeights };
  }
}

/** The shortest part of a step that is tried. */
const SHORTEST = 1 / 64;

/** What new rows add to the memory: their correlations and moments, and the curvature of each bit at their codes. */
async function measure(
  engine: Engine,
  block: Block,
  codes: Floats,
  weights: Float32Array,
  { shape, loss }: FurtherSettings,
): Promise<Record<'B' | 'moments' | 'curvature', Float64Array>> {
  const { n } = block;
  const width = widthOf(shape);
  const [W, B] = [engine.floats(weights.length), engine.floats(weights.length)];
  W.write(weights);
  await engine.correlate(block, codes, width, B);
  const sums = { gradient: engine.floats(weights.length), curvature: engine.floats(shape.V) };
  const inverseHessian = engine.floats(shape.H * shape.H);
  const at = { block, shape, W, E: codes, loss };
  await engine.solve('codes', at, { steps: 0, tolerance: 0, inverseHessian, ridge: 0, sums });
  const mean = async (floats: Floats) => Float64Array.from(await floats.read(), (sum) => sum / n);
  const found = {
    B: await mean(B),
    moments: (await engine.gram(codes, n, width)).map((sum) => sum / n),
    curvature: await mean(sums.curvature),
  };
  for (const used of [W, B, sums.gradient, sums.curvature, inverseHessian]) used.free();
  return found;
}

import { type Block, type Engine, type Floats, floatsOf, type Point, widthOf } from '../../engine/engine.ts';
import { inverse } from '../../math/linear.ts';
import { entriesOf } from '../../rows/entries.ts';
import type { Rows } from '../../rows/rows.ts';
import { bitLosses } from '../look.ts';
import { TYPICAL_CURVATURE } from '../minibatch.ts';
import { type Axes, axesOf } from './axes.ts';
import type { FurtherSettings, Remembered } from './further.ts';
import { ImaginedRows } from './imagined-rows.ts';

/**
 * The convex problem of the weights, for imagined and new rows together: their mean loss plus
 *
 *     (ridge/2) |w - w0|^2
 *
 * in the coordinates of learning.
 */
export class Weights {
  readonly #engine: Engine;
  readonly #settings: FurtherSettings;
  readonly #axes: Axes;
  readonly #start: Float32Array;
  readonly #imagined: ImaginedRows;
  readonly #total: number;
  /** For each bit. */
  readonly #share: Float64Array;
  readonly #block: Block;
  readonly #E: Floats;
  readonly #rowWeights: Floats;

  private constructor(
    engine: Engine,
    before: Remembered,
    rows: Rows,
    settings: FurtherSettings,
    imagined: ImaginedRows,
  ) {
    const { V } = settings.shape;
    const { count } = imagined;
    const { codes: first, stiffer, values: hallucinated } = imagined.rows;
    const all = count + rows.n;
    this.#engine = engine;
    this.#settings = settings;
    this.#axes = axesOf(first, before.W, widthOf(settings.shape));
    this.#start = before.W;
    this.#imagined = imagined;
    this.#total = before.n + rows.n;
    // Near the minimum, n rows that resist k times as much allow this share of what m new ones ask for.
    this.#share = stiffer.map((k) => this.#total / (k * before.n + rows.n));
    const codes = this.#axes.codes(first);
    this.#E = engine.floats(all * this.#axes.count);
    this.#E.write(codes);
    // 1 in the mean over all rows of the block.
    const weights = new Float32Array(all).fill(all / this.#total);
    weights.fill((all * before.n) / count / this.#total, 0, count);
    this.#rowWeights = floatsOf(engine, weights);
    const values = new Float32Array(all * V);
    values.set(hallucinated);
    this.#hold(values, codes, count);
    values.set(entriesOf(rows), count * V);
    this.#block = engine.load({ kind: 'real', n: all, V, values });
  }

  static async open(
    engine: Engine,
    before: Remembered,
    rows: Rows,
    settings: FurtherSettings,
  ): Promise<Weights> {
    return new Weights(engine, before, rows, settings, await ImaginedRows.open(engine, before, settings));
  }

  /**
   * The ridge draws weights to 0, and is to hold them at w0. The difference is linear in the weights, and so
   * is what entries add to the loss: with x = 2 ridge sum_a w0_a e_a / mean(e_a^2), for codes e that are not
   * correlated across axes, the mean of (1/2) x e is ridge w0.
   */
  #hold(values: Float32Array, codes: Float32Array, n: number): void {
    const { count, squares } = this.#axes;
    const { V } = this.#settings.shape;
    const pull = this.#axes
      .weights(this.#start)
      .map((w, k) => (2 * this.#settings.ridge * w) / squares[k % count]);
    for (let i = 0; i < n; i++) {
      for (let v = 0; v < V; v++) {
        for (let a = 0; a < count; a++) values[i * V + v] += pull[v * count + a] * codes[i * count + a];
      }
    }
  }

  /**
   * The best weights where the new rows have these codes, from W on; those that are not allowed stay where
   * they are.
   */
  async solve(W: Float32Array, codes: Float32Array): Promise<Float32Array> {
    const { allowed } = this.#settings;
    this.#E.write(this.#axes.codes(codes), this.#imagined.count * this.#axes.count);
    const width = W.length / this.#share.length;
    const moved = (await this.#descend(W)).map((w, k) => {
      return this.#start[k] + this.#share[Math.floor(k / width)] * (w - this.#start[k]);
    });
    if (!allowed) return moved;
    const step = moved.map((w, k) => (allowed[k] ? w - W[k] : 0));
    return this.#shorten(W, step);
  }

  /** The imagined rows find their best codes under W. */
  async follow(W: Float32Array): Promise<void> {
    this.#E.write(this.#axes.codes(await this.#imagined.follow(W)));
  }

  /** How much the mean loss of the rows before is above its minimum, by the imagined ones. */
  cost(W: Float32Array): Promise<number> {
    return this.#imagined.cost(W);
  }

  free(): void {
    for (const held of [this.#block, this.#E, this.#rowWeights, this.#imagined]) held.free();
  }

  /**
   * The ridge's share fades as rows are added: it is a prior of the strength that it had for the rows before.
   */
  get #ridge(): number {
    return (this.#settings.ridge * (this.#total - this.#block.n + this.#imagined.count)) / this.#total;
  }

  async #descend(W: Float32Array): Promise<Float32Array> {
    const { count } = this.#axes;
    const { n } = this.#block;
    const ridge = this.#ridge;
    const second = await this.#engine.gram(this.#E, n, count, this.#rowWeights);
    const S = second.map((sum, k) => (TYPICAL_CURVATURE * sum) / n + (k % (count + 1) === 0 ? ridge : 0));
    const moved = floatsOf(this.#engine, this.#axes.weights(W));
    const metric = floatsOf(this.#engine, inverse(S, count, 1e-6));
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

  /** The mean loss of each bit over all rows, as they are weighted. */
  async #losses(W: Float32Array): Promise<Float64Array> {
    const held = floatsOf(this.#engine, this.#axes.weights(W));
    const losses = await bitLosses(this.#engine, this.#at(held));
    held.free();
    return losses;
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
/**
 * Conjugate-gradient steps on the weights, at most; and the share of a row's nat per bit that is nothing to
 * gain.
 */
const STEPS = 40;
const NOTHING = 1e-4;

import type { CodeSet } from '../encodings/encoding.ts';
import {
  type Engine,
  type Floats,
  type Moments,
  type Point,
  type Shape,
  type Sums,
  widthOf,
} from '../engine/engine.ts';
import type { Loss } from '../losses/loss.ts';
import { clearCodes, inverseHessian } from '../solvers/codes.ts';
import type { FastCheckpoint } from './checkpoint.ts';
import type { PlacedBlock, TrainingData } from './data.ts';
import { followCurvature, minibatches, rateAt, TYPICAL_CURVATURE, warmedUp } from './minibatch.ts';
import { keepChosen, pricesOf } from './prices.ts';
import type { Settings } from './settings.ts';

/**
 * Alternating minimisation of L(W, E) over the whole training set (Algorithm 1), in minibatches, with every row's
 * code kept between visits.
 *
 * A visit takes a few preconditioned conjugate-gradient steps on the codes of the minibatch (the convex problem of
 * Prop. 2, warm from the last visit) and one Adam step on W with the gradient at those codes. The Hessian of every
 * row's problem is W^T diag(Psi''(m)) W / 2; the preconditioner puts the running mean of Psi'' over the data in the
 * place of the row's own, so that one H x H inverse serves all rows. A ridge on W and on the codes fixes the scale
 * that the objective leaves open (E / s, s W).
 */
export class FastTrainer {
  readonly shape: Shape;
  readonly width: number;
  readonly loss: Loss;
  /** Codes are held within this radius; Infinity where they are free. */
  readonly radius: number;
  /** The set that they are confined to, of that size, where it is no box. */
  readonly set?: CodeSet;
  readonly W: Floats;
  readonly E: Floats;
  /** Mean over rows of Psi''(m_v) / 2, a running estimate. */
  readonly curvature: Float64Array;
  epoch = 0;
  /** Minibatches of this epoch that are done. */
  batch = 0;
  /** Steps that W has taken. */
  step = 0;
  /** Sum of the losses of this epoch's rows so far, and their number. */
  visited = { loss: 0, rows: 0 };

  readonly #engine: Engine;
  readonly #settings: Settings;
  readonly #data: TrainingData;
  readonly #moments: Moments;
  readonly #sums: Sums;
  readonly #losses: Floats;
  /** What each weight's size costs, where it costs anything. */
  readonly #prices?: Floats;
  readonly #inverseHessian: Floats;
  readonly #curvatureFloats: Floats;

  constructor(engine: Engine, data: TrainingData, settings: Settings, W: Float32Array) {
    const { H, bias } = settings;
    const { V } = data;
    this.#engine = engine;
    this.#settings = settings;
    this.#data = data;
    this.shape = { V, H, bias };
    this.width = widthOf({ H, bias });
    this.loss = settings.loss;
    this.radius = settings.radius;
    this.set = settings.set;
    this.W = engine.floats(V * this.width);
    const prices = pricesOf(settings, V, settings.radius, data.columnWeights?.values);
    this.#prices = prices && engine.floats(prices.length);
    if (prices) this.#prices?.write(prices);
    this.W.write(keepChosen(W, prices));
    this.E = engine.floats((settings.keepCodes ? data.n : data.blockRows) * this.width);
    clearCodes(this.E, this.width, bias);
    this.curvature = new Float64Array(V).fill(TYPICAL_CURVATURE);
    this.#moments = { first: engine.floats(V * this.width), second: engine.floats(V * this.width) };
    this.#sums = { gradient: engine.floats(V * this.width), curvature: engine.floats(V) };
    this.#losses = engine.floats(data.blockRows);
    this.#inverseHessian = engine.floats(H * H);
    this.#curvatureFloats = engine.floats(V);
  }

  /** One epoch, yielding after each minibatch; `progressAt` gives the share of the whole run that is done. */
  async *runEpoch(progressAt: () => number): AsyncGenerator<void> {
    const { batch: size, seed, keepCodes, bias } = this.#settings;
    let index = 0;
    for await (const placed of this.#data.blocks()) {
      const { block, offset } = placed;
      if (!keepCodes) clearCodes(this.E, this.width, bias);
      for (const range of minibatches(block.n, size, seed + 7919 * this.epoch + offset)) {
        if (index++ < this.batch) continue;
        await this.#visit(
          placed,
          keepCodes ? offset : 0,
          range,
          warmedUp(rateAt(this.#settings.rate, progressAt()), this.step + 1),
        );
        this.batch = index;
        yield;
      }
    }
  }

  /** Closes the epoch: its mean loss as it was visited. */
  endEpoch(): number {
    const loss = this.visited.loss / Math.max(1, this.visited.rows);
    this.visited = { loss: 0, rows: 0 };
    this.batch = 0;
    this.epoch++;
    return loss;
  }

  /** Mean loss and Frank-Wolfe gap of the kept codes under the present W; nothing where codes are not kept. */
  async measure(): Promise<{ slack?: number; gap?: number }> {
    if (!this.#settings.keepCodes) return {};
    const { n } = this.#data;
    let [slack, gap] = [0, 0];
    for await (const { block, offset, rowWeights } of this.#data.blocks()) {
      const gaps = await this.#gapsAt({ block, offset, ...this.#point() });
      slack += weightedSum(await this.#losses.read(0, block.n), rowWeights?.values) / n;
      gap += weightedSum(gaps, rowWeights?.values) / n;
    }
    return { slack, gap };
  }

  /**
   * The gaps of a block's codes, and their losses. Codes that nothing holds in have about unit variance: the gap is over a
   * box of four deviations or, where a code lies outside, over the smallest that holds it. A gap g . e + r |g|_1 is linear
   * in the radius r, so two radii tell those of all rows.
   */
  async #gapsAt(at: Point): Promise<Float32Array> {
    const { n } = at.block;
    const gaps = this.#engine.floats(n);
    const over = async (radius: number) => {
      await this.#engine.measure(at, { losses: this.#losses, gaps, radius });
      return await gaps.read();
    };
    const bounded = this.set && this.radius < Number.POSITIVE_INFINITY;
    const radius = bounded ? this.radius : Math.min(GAP_RADIUS, this.radius);
    const found = await over(radius);
    const reach = bounded ? new Float64Array(n) : await this.#reachOf(at.offset ?? 0, n);
    const furthest = reach.reduce((most, e) => Math.max(most, e), 0);
    if (furthest > radius) {
      const far = await over(furthest);
      reach.forEach((e, i) => {
        const share = Math.max(0, (e - radius) / (furthest - radius));
        found[i] = Math.max(0, found[i] + share * (far[i] - found[i]));
      });
    }
    gaps.free();
    return found;
  }

  /** The largest entry of each code. */
  async #reachOf(first: number, n: number): Promise<Float64Array> {
    const [{ H }, width] = [this.shape, this.width];
    const codes = await this.E.read(first * width, (first + n) * width);
    const reach = new Float64Array(n);
    for (let i = 0; i < n; i++) {
      for (let h = 0; h < H; h++) reach[i] = Math.max(reach[i], Math.abs(codes[i * width + h]));
    }
    return reach;
  }

  /** The matrix that preconditions the codes under the present W, and its ingredients. */
  async precondition(): Promise<Floats> {
    const { H, ridge } = this.#settings;
    this.#curvatureFloats.write(this.curvature);
    const gram = await this.#engine.gram(this.W, this.shape.V, this.width, this.#curvatureFloats);
    this.#inverseHessian.write(inverseHessian(gram, this.width, H, ridge));
    return this.#inverseHessian;
  }

  async #visit(
    { block, rowWeights }: PlacedBlock,
    offset: number,
    range: { start: number; end: number },
    rate: number,
  ): Promise<void> {
    const { ridge, radius, set, codeSteps, codeTolerance, H } = this.#settings;
    const count = range.end - range.start;
    if (this.step % REFRESH === 0) await this.precondition();
    const at = { block, offset, range, rowWeights: rowWeights?.floats, ...this.#point() };
    await this.#engine.solve('codes', at, {
      steps: this.epoch === 0 ? Math.min(FIRST_STEPS, codeSteps) : codeSteps,
      tolerance: codeTolerance,
      inverseHessian: this.#inverseHessian,
      ridge,
      ...{ radius, set },
      losses: this.#losses,
      sums: this.#sums,
    });
    const { start, end } = range;
    this.visited.loss += weightedSum(
      await this.#losses.read(start, end),
      rowWeights?.values.subarray(start, end),
    );
    this.visited.rows += count;
    followCurvature(this.curvature, await this.#sums.curvature.read(), count);
    this.step++;
    this.#engine.adam(this.W, this.#sums.gradient, this.#moments, {
      rate,
      beta1: 0.9,
      beta2: 0.99,
      epsilon: 1e-8,
      step: this.step,
      scale: 1 / count,
      width: this.width,
      free: H,
      ridge,
      prices: this.#prices,
    });
  }

  #point() {
    const { shape, W, E, loss } = this;
    return { shape, W, E, loss, columnWeights: this.#data.columnWeights?.floats };
  }

  /** Copies of everything that the next minibatch depends on. */
  async snapshot() {
    return {
      W: await this.W.read(),
      E: await this.E.read(),
      first: await this.#moments.first.read(),
      second: await this.#moments.second.read(),
      inverseHessian: await this.#inverseHessian.read(),
      curvature: this.curvature.slice(),
    };
  }

  restore({ arrays, progress }: FastCheckpoint): void {
    this.W.write(arrays.W);
    this.E.write(arrays.E);
    this.#moments.first.write(arrays.first);
    this.#moments.second.write(arrays.second);
    this.#inverseHessian.write(arrays.inverseHessian);
    this.curvature.set(arrays.curvature);
    const { epoch, batch, step, visited } = progress;
    Object.assign(this, { epoch, batch, step, visited: { ...visited } });
  }

  free(): void {
    const { first, second } = this.#moments;
    const { gradient, curvature } = this.#sums;
    for (const floats of [this.W, this.E, first, second, gradient, curvature]) floats.free();
    for (const floats of [this.#losses, this.#inverseHessian, this.#curvatureFloats]) floats.free();
    this.#prices?.free();
  }
}

/** Deviations to each side of the box that gaps are over. */
const GAP_RADIUS = 4;
/** Steps on codes that are met for the first time: W is not worth more yet. */
const FIRST_STEPS = 5;
/** W moves little between two steps: the preconditioner is renewed every few of them. */
const REFRESH = 4;

/** The sum of the values, each times its weight where there are any. */
export function weightedSum(values: ArrayLike<number>, weights?: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += (weights?.[i] ?? 1) * values[i];
  return sum;
}

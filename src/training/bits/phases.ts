import type { Block, Engine, Floats, Point, Range, Shape, Sums } from '../../engine/engine.ts';
import { floatsOf } from '../../engine/engine.ts';
import { unitCurvatures } from '../../engine/expected-loss.ts';
import { correlated } from '../../engine/products.ts';
import type { Loss } from '../../losses/loss.ts';
import { inverse } from '../../math/linear.ts';
import { sum } from '../../rows/sum.ts';
import { changeCodes, clearCodes } from '../../solvers/codes.ts';
import { annealing } from '../../solvers/encode-bits.ts';
import { gaussians } from '../../solvers/gaussians.ts';
import { restored } from '../checkpoint/restored.ts';
import type { TrainerState } from '../loop/trainer.ts';
import { minibatches, TYPICAL_CURVATURE } from '../minibatch.ts';
import type { Settings } from '../settings.ts';
import { Relaxation } from './relaxation.ts';

/** How far learning has come. */
interface BitsProgress {
  readonly epoch: number;
  /** The present start of phase 1, counted from 0, and the epoch and second at which it began. */
  readonly start: number;
  readonly begun: { readonly epoch: number; readonly seconds: number };
  /** Finished minibatches, or pieces of a round, of this epoch. */
  readonly batch: number;
  /** Steps that W has taken since the start. */
  readonly step: number;
  /** Rounds done, or absent in phase 1. */
  readonly round?: number;
  /** Finished rows of this epoch, and the sum of their losses as far as they were read back. */
  readonly visited: { readonly loss: number; readonly rows: number };
}

/**
 * Learning with codes of true bits, in two phases on one block of rows.
 *
 * 1. Relaxation, from one or more starts. Codes are random bits with means tanh(a); minibatch by minibatch a
 *    few mean-field steps move a and one Adam step moves W along the gradient of the expected loss, while the
 *    temperature falls until the bits are settled.
 * 2. Alternation. Every row searches for a better code by annealing from a new start, and keeps the one it
 *    has if it finds none; then W descends on its convex problem (Thm. 1) from where it is. The objective,
 *    mean loss + (ridge/2) |W|^2, never rises.
 */
export class BitPhases {
  readonly shape: Shape;
  readonly width: number;
  readonly loss: Loss;
  readonly W: Floats;
  /** Parameters a in phase 1, bits in phase 2; the last column is the bias unit's 1. */
  readonly E: Floats;
  /** Mean over rows of Psi''(m_v) / 2, as last measured. */
  readonly curvature: Float64Array;
  ridge: number;
  at: BitsProgress = { epoch: 0, start: 0, begun: { epoch: 0, seconds: 0 }, ...FRESH };

  /** Seconds that the last fit of the weights took. */
  fitSeconds = 0;
  readonly #engine: Engine;
  /** The engine for work between visits, which an abort may end half-way. */
  rest: Engine;
  readonly #block: Block;
  readonly #settings: Settings;
  readonly #relaxation: Relaxation;
  readonly #sums: Sums;
  readonly #losses: Floats;
  /** Rows whose losses are still in the engine. */
  #unread: Range[] = [];
  readonly #curvatures: Floats;
  /** Whether phase 1 gives rows codes before the first round. */
  readonly #relaxed: boolean;

  /** With `relaxing`, begins with phase 1 from the codes in E; otherwise with phase 2 from W alone. */
  constructor(engine: Engine, block: Block, settings: Settings, relaxing: boolean, rest = engine) {
    const { n, V } = block;
    const { H } = settings;
    const width = H + 1;
    this.#engine = engine;
    this.rest = rest;
    this.#block = block;
    this.#settings = settings;
    this.shape = { V, H, bias: true };
    this.width = width;
    this.loss = settings.loss;
    this.ridge = settings.ridge;
    this.W = engine.floats(V * width);
    this.E = engine.floats(n * width);
    clearCodes(this.E, this.shape);
    this.curvature = new Float64Array(V).fill(TYPICAL_CURVATURE);
    this.#relaxation = new Relaxation(engine, { V, H, rate: settings.rate });
    this.#sums = { gradient: engine.floats(V * width), curvature: engine.floats(V) };
    this.#losses = engine.floats(n);
    this.#curvatures = engine.floats(H);
    this.#relaxed = relaxing;
    if (!relaxing) this.at = { ...this.at, round: 0 };
  }

  get n(): number {
    return this.#block.n;
  }

  get V(): number {
    return this.#block.V;
  }

  get relaxing(): boolean {
    return this.at.round === undefined;
  }

  /** Whether rows have codes worth keeping. */
  get coded(): boolean {
    return this.#relaxed || (this.at.round ?? 0) > 0;
  }

  /** The finished share of this epoch's rows. */
  get share(): number {
    return this.at.visited.rows / this.n;
  }

  /** Mean loss of this epoch's rows so far. */
  async visitedLoss(): Promise<number> {
    await this.#readBack();
    return this.at.visited.loss / Math.max(1, this.at.visited.rows);
  }

  /**
   * Begins phase 1 at start k; nothing is left of the start before. `seconds`: the time of learning so far.
   */
  relax(k: number, seconds: number): void {
    this.#relaxation.begin(this.V);
    this.ridge = this.#settings.ridge;
    const { epoch } = this.at;
    this.at = { epoch, start: k, begun: { epoch, seconds }, ...FRESH };
  }

  /** Turns bits into undecided parameters for phase 1. */
  async loosen(): Promise<void> {
    await changeCodes(this.E, this.n, this.shape, (a) => 0.5 * a);
  }

  /** Begins phase 2: the signs of the parameters become bits, and W is fitted to them. */
  async decide(): Promise<void> {
    await changeCodes(this.E, this.n, this.shape, (a) => (a < 0 ? -1 : 1));
    await this.fitWeights(DECIDED_STEPS);
    this.curvature.set(await this.#relaxation.bends.read());
    this.at = { ...this.at, batch: 0, visited: FRESH.visited, round: 0 };
  }

  /** Phase 1: visits the minibatches of one epoch; `progress` gives the share of the phase that is done. */
  async *relaxEpoch(progress: () => number): AsyncGenerator<number> {
    const { batch, seed } = this.#settings;
    const ranges = minibatches(this.n, batch, seed + 7919 * this.at.epoch);
    for (const range of ranges.slice(this.at.batch)) {
      const step = this.at.step + 1;
      const how = { progress: progress(), step, ridge: this.ridge, losses: this.#losses };
      await this.#relaxation.step({ ...this.point(), range }, how);
      this.at = { ...this.at, step };
      yield this.#count(range);
    }
  }

  /** Phase 2: every row searches again, from a start that differs in each round. */
  async *searchRound(): AsyncGenerator<number> {
    const { H, seed } = this.#settings;
    const { batch, round = 0 } = this.at;
    const starts = this.#engine.floats(H);
    // The first start leaves all bits undecided, which is the best single start. The others are random.
    starts.write(round === 0 ? new Float32Array(H) : gaussians(H, seed + 104_729 * round));
    try {
      // Curvatures belong to the beginning of the round, even if it is resumed after an interruption.
      if (batch === 0) await this.measureCurvature();
      const curvatures = unitCurvatures(await this.W.read(), this.curvature, H);
      this.#curvatures.write(curvatures);
      for (let start = batch * PIECE; start < this.n; start += PIECE) {
        const range = { start, end: Math.min(this.n, start + PIECE) };
        await this.#engine.anneal(this.point(range), {
          ...annealing(curvatures),
          starts,
          curvatures: this.#curvatures,
          keep: this.coded,
          losses: this.#losses,
        });
        yield this.#count(range);
      }
    } finally {
      starts.free();
    }
  }

  /** Closes a pass and returns its mean loss as visited. In phase 2, W is fitted to the codes found. */
  async endEpoch(): Promise<number> {
    const loss = await this.visitedLoss();
    const { epoch, round } = this.at;
    if (round !== undefined) await this.fitWeights(ROUND_STEPS);
    const next = round === undefined ? {} : { round: round + 1 };
    this.at = { ...this.at, epoch: epoch + 1, batch: 0, visited: FRESH.visited, ...next };
    return loss;
  }

  /** Conjugate-gradient steps on the convex problem of each bit's weights, from the present ones. */
  async fitWeights(steps: number, ridge = this.ridge): Promise<void> {
    const began = performance.now();
    const { width } = this;
    const { H } = this.#settings;
    const { n } = this.#block;
    const moments = await this.#engine.gram(this.E, n, width);
    const hessian = moments.map((sum, i) => {
      const onDiagonal = i % (width + 1) === 0 && i < H * (width + 1);
      return (CURVATURE_OF_BITS * sum) / n + (onDiagonal ? ridge : 0);
    });
    const inverseHessian = floatsOf(this.#engine, inverse(hessian, width, 1e-7));
    await this.#engine.solve('weights', this.point(), { steps, tolerance: 1e-6, inverseHessian, ridge });
    inverseHessian.free();
    this.fitSeconds = (performance.now() - began) / 1000;
  }

  /** Flips bits of every code until no flip helps. Returns the mean loss. */
  async settle(): Promise<number> {
    await this.rest.flip(this.point(), { sweeps: 100, pairs: false, losses: this.#losses });
    return this.#meanOfLosses();
  }

  /** Mean loss at the present codes. */
  async meanLoss(): Promise<number> {
    await this.#readBack();
    await this.rest.measure(this.point(), { losses: this.#losses });
    return this.#meanOfLosses();
  }

  /**
   * The mean gap that the gradient at the bits proves: how far below their loss any code in the box could be.
   */
  async meanGap(): Promise<number> {
    await this.rest.measure(this.point(), { gaps: this.#losses, radius: 1 });
    return this.#meanOfLosses();
  }

  /** The curvature of each bit, measured at the bits of some rows. */
  async measureCurvature(): Promise<void> {
    const end = Math.min(this.#block.n, CURVATURE_ROWS);
    await this.#engine.flip(this.point({ start: 0, end }), { sweeps: 0, pairs: false, sums: this.#sums });
    (await this.#sums.curvature.read()).forEach((sum, v) => {
      this.curvature[v] = sum / end;
    });
  }

  /** X E^T / n: V x width. */
  async correlations(): Promise<Float32Array> {
    const sums = await correlated(this.rest, this.#block, this.E, this.width);
    return sums.map((sum) => sum / this.n);
  }

  /** E E^T / n: width x width. */
  async moments(): Promise<Float32Array> {
    return Float32Array.from(await this.#engine.gram(this.E, this.n, this.width), (sum) => sum / this.n);
  }

  /** Copies of everything that the next piece of work depends on, besides `at` and the ridge. */
  async snapshot() {
    await this.#readBack();
    if (this.relaxing) this.curvature.set(await this.#relaxation.bends.read());
    return {
      W: await this.W.read(),
      E: await this.E.read(),
      ...(await this.#relaxation.snapshot()),
      curvature: this.curvature.slice(),
    };
  }

  restore(from: TrainerState, at: BitsProgress): void {
    restored.floats(this.W, from, 'W');
    restored.floats(this.E, from, 'E');
    this.#relaxation.restore(from);
    this.curvature.set(restored.array(from, 'curvature', this.V, Float64Array));
    this.#relaxation.bends.write(this.curvature);
    this.at = at;
  }

  free(): void {
    const { gradient, curvature } = this.#sums;
    const all = [this.W, this.E, gradient, curvature, this.#losses, this.#curvatures, this.#relaxation];
    for (const used of all) used.free();
  }

  /** Counts the rows of a range as visited and returns their number. */
  #count(range: Range): number {
    const { batch, visited } = this.at;
    const rows = range.end - range.start;
    this.#unread.push(range);
    this.at = { ...this.at, batch: batch + 1, visited: { ...visited, rows: visited.rows + rows } };
    return rows;
  }

  /** Adds up the losses of visited rows; not inside a visit, which would have to wait for a device. */
  async #readBack(): Promise<void> {
    const ranges = this.#unread;
    this.#unread = [];
    let { loss } = this.at.visited;
    for (const each of await Promise.all(ranges.map((range) => this.#summedLoss(range)))) loss += each;
    this.at = { ...this.at, visited: { ...this.at.visited, loss } };
  }

  /** The mean of what an operation has written for all rows: losses, or gaps. */
  async #meanOfLosses(): Promise<number> {
    return (await this.#summedLoss({ start: 0, end: this.n })) / this.n;
  }

  async #summedLoss(range: Range): Promise<number> {
    return sum(await this.#losses.read(range.start, range.end));
  }

  /** The current point, for some of the rows or for all. */
  point(range?: Range): Point {
    return { block: this.#block, shape: this.shape, W: this.W, E: this.E, range, loss: this.loss };
  }
}

/** The progress at the beginning of phase 1. */
const FRESH = { batch: 0, step: 0, visited: { loss: 0, rows: 0 } } as const;
/** Conjugate-gradient steps on W: after phase 1, after each round. */
const DECIDED_STEPS = 5;
const ROUND_STEPS = 5;
/** Rows per visit of a round, after which learning may stop. */
const PIECE = 512;
const CURVATURE_ROWS = 10_000;
/** Psi''/2 of a score of about 2: the preconditioner's guess; each bit's line search corrects it. */
const CURVATURE_OF_BITS = 0.08;

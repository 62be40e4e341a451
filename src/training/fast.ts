import type { CodeSet } from '../encodings/encoding.ts';
import type { Engine, Floats, Point, Range, Running, Shape } from '../engine/engine.ts';
import { floatsOf, WIDE, widthOf } from '../engine/engine.ts';
import type { Loss } from '../losses/loss.ts';
import { weightedSum } from '../rows/weights.ts';
import { clearCodes, largestCodes } from '../solvers/codes.ts';
import { Adam } from './adam.ts';
import type { FastState } from './checkpoint/fast-state.ts';
import { restored } from './checkpoint/restored.ts';
import type { PlacedBlock, TrainingData } from './data.ts';
import type { HistoryEntry } from './loop/history.ts';
import type { Schedule, Seen, Trainer, TrainerState } from './loop/trainer.ts';
import {
  CURVATURE_MEMORY,
  minibatchCount,
  minibatches,
  rateAt,
  TYPICAL_CURVATURE,
  warmedUp,
} from './minibatch.ts';
import { keepChosen, pricesOf } from './prices.ts';
import type { Settings } from './settings.ts';
import type { Learnt } from './settle.ts';

/**
 * Alternating minimisation of L(W, E) over the whole training set (Algorithm 1), in minibatches, with every
 * row's code kept between visits.
 *
 * A visit takes a few preconditioned conjugate-gradient steps on the codes of the minibatch (the convex
 * problem of Prop. 2, from the codes of the last visit) and one Adam step on W with the gradient at the new
 * codes. The Hessian of a row's problem is W^T diag(Psi''(m)) W / 2; the preconditioner replaces the row's
 * own Psi'' by its running mean over the data, so that one H x H inverse serves all rows. A ridge on W and on
 * the codes fixes the scale, which the objective leaves open: (E / s, s W) has the same loss.
 */
export class FastTrainer implements Trainer {
  readonly shape: Shape;
  readonly width: number;
  readonly loss: Loss;
  /** Codes are held within this radius; Infinity if they are free. */
  readonly radius: number;
  /** The set of this size that codes are confined to, if it is not the box. */
  readonly set?: CodeSet;
  readonly W: Floats;
  readonly E: Floats;
  /** Mean over rows of Psi''(m_v) / 2, a running estimate. */
  readonly bends: Running;
  epoch = 0;
  /** Minibatches of this epoch that are done. */
  batch = 0;
  /** Steps that W has taken. */
  step = 0;
  /** Rows of this epoch whose losses were read back: their number and the sum of their losses. */
  #visited = { loss: 0, rows: 0 };
  /** Visits whose losses are still in the engine. */
  #unread: Visit[] = [];

  readonly #engine: Engine;
  readonly #settings: Settings;
  readonly #data: TrainingData;
  readonly #held?: Held;
  readonly #adam: Adam;
  /** Sums of Psi''(m_v) / 2 over the rows of a minibatch. */
  readonly #bendSums: Floats;
  readonly #losses: Floats;
  readonly #gaps: Floats;
  /** The price of each weight's size, if any weight has one. */
  readonly #prices?: Floats;
  readonly #inverseHessian: Floats;
  /** The weights that did best on validation rows, and whether they are those of the last measurement. */
  #best?: { readonly W: Float32Array; readonly validation: number; readonly last: boolean };

  constructor(engine: Engine, data: TrainingData, settings: Settings, W: Float32Array, held?: Held) {
    const { H, bias } = settings;
    const { V } = data;
    this.#engine = engine;
    this.#settings = settings;
    this.#data = data;
    this.#held = held;
    this.shape = { V, H, bias };
    this.width = widthOf({ H, bias });
    this.loss = settings.loss;
    this.radius = settings.radius;
    this.set = settings.set;
    const prices = pricesOf(settings, V, settings.radius, data.columnWeights?.values);
    this.#prices = prices && floatsOf(engine, prices);
    this.W = floatsOf(engine, keepChosen(W, prices));
    this.E = engine.floats((settings.keepCodes ? data.n : data.blockRows) * this.width);
    clearCodes(this.E, this.shape);
    this.bends = engine.running(V);
    this.bends.write(new Float64Array(V).fill(TYPICAL_CURVATURE));
    this.#adam = new Adam(engine, V * this.width);
    this.#bendSums = engine.floats(V);
    this.#losses = engine.floats(data.blockRows);
    this.#gaps = engine.floats(data.blockRows);
    this.#inverseHessian = engine.floats(H * H);
  }

  get share(): number {
    const { n, blockRows } = this.#data;
    return this.batch / minibatchCount(n, blockRows, this.#settings.batch);
  }

  rate(schedule: Schedule): number {
    return rateAt(this.#settings.rate, schedule.share(this.epoch + this.share));
  }

  async *visits(schedule: Schedule): AsyncGenerator<number> {
    const { batch: size, seed, keepCodes } = this.#settings;
    let index = 0;
    for await (const placed of this.#data.blocks()) {
      const { block, offset } = placed;
      // The codes of a longer block before this one stay beyond it, for `reach`.
      if (!keepCodes) clearCodes(this.E, this.shape, { start: 0, end: block.n });
      for (const range of minibatches(block.n, size, seed + 7919 * this.epoch + offset)) {
        if (index++ < this.batch) continue;
        const rate = warmedUp(this.rate(schedule), this.step + 1);
        await this.#visit(placed, keepCodes ? offset : 0, range, rate);
        this.batch = index;
        yield range.end - range.start;
      }
      // The losses of the next block will overwrite these.
      await this.#readBack();
    }
  }

  async visitedLoss(): Promise<number> {
    await this.#readBack();
    return this.#visited.loss / Math.max(1, this.#visited.rows);
  }

  async endEpoch(schedule: Schedule, last: boolean): Promise<Seen> {
    const { epochs, ridge } = this.#settings;
    const loss = await this.visitedLoss();
    const rate = this.rate(schedule);
    const every = Math.ceil((Number.isFinite(epochs) ? epochs : 100) / LOOKS);
    // The curve of a single epoch would say nothing, and the final codes are measured anyway.
    const due = (spacing: number) => epochs > 1 && (last || (this.epoch + 1) % Math.max(1, spacing) === 0);
    const validation = due(every) || last ? await this.#held?.validation?.loss(this, ridge) : undefined;
    const measured = due(Math.max(every, SPARSELY));
    const slack = measured ? await this.measure() : {};
    this.nextEpoch();
    return { loss, ...slack, rate, validation };
  }

  nextEpoch(): void {
    this.#visited = { loss: 0, rows: 0 };
    this.batch = 0;
    this.epoch++;
  }

  judge({ loss }: HistoryEntry): number {
    return loss;
  }

  async note({ validation }: HistoryEntry): Promise<boolean | undefined> {
    if (validation === undefined) return undefined;
    const best = this.#best;
    const better = !best || validation < best.validation;
    this.#best = better ? { W: await this.W.read(), validation, last: true } : { ...best, last: false };
    return better;
  }

  async end(): Promise<void> {
    await this.#readBack();
    if (this.#best && !this.#best.last) this.W.write(this.#best.W);
  }

  async finishSeconds(): Promise<number> {
    return (await this.#held?.finishSeconds(this)) ?? 0;
  }

  /** Mean loss and Frank-Wolfe gap of the codes under the present W; nothing if codes are not kept. */
  async measure(): Promise<{ slack?: number; meanGap?: number }> {
    if (!this.#settings.keepCodes) return {};
    const { n } = this.#data;
    // Free codes have about unit variance. Their gap is over a box of four deviations, larger for codes
    // outside it.
    const bounded = this.set && this.radius < Number.POSITIVE_INFINITY;
    const radius = bounded ? this.radius : Math.min(GAP_RADIUS, this.radius);
    let [slack, meanGap] = [0, 0];
    for await (const placed of this.#data.blocks()) {
      const { block, offset, rowWeights } = placed;
      const at = { ...this.point(placed), offset };
      await this.#between.measure(at, { losses: this.#losses, gaps: this.#gaps, radius });
      const gaps = await this.#gaps.read(0, block.n);
      slack += weightedSum(await this.#losses.read(0, block.n), rowWeights?.values) / n;
      meanGap += weightedSum(gaps, rowWeights?.values) / n;
    }
    return { slack, meanGap };
  }

  /** The matrix that preconditions the codes under the present W. */
  async precondition(): Promise<Floats> {
    const { ridge } = this.#settings;
    await this.#engine.precondition(this.W, this.shape, this.bends, ridge, this.#inverseHessian);
    return this.#inverseHessian;
  }

  /**
   * The largest |e_h| of each unit; if codes are not kept, that of the rows visited last, and at least the
   * usual one.
   */
  async reach(): Promise<Float64Array> {
    const most = await largestCodes(this.E, this.E.length / this.width, this.shape);
    return this.#settings.keepCodes ? most : most.map((reached) => Math.max(reached, USUAL_REACH));
  }

  /** What was learned so far. */
  async learnt(): Promise<Learnt> {
    const { shape, W, E } = this;
    return { shape, W, E, curvature: await this.bends.read() };
  }

  /** The rows of a block under the present W, with the codes from the start of E on. */
  point({ block, rowWeights }: PlacedBlock): Point {
    const { shape, W, E, loss } = this;
    const columnWeights = this.#data.columnWeights?.floats;
    return { block, shape, W, E, loss, rowWeights: rowWeights?.floats, columnWeights };
  }

  async #visit(placed: PlacedBlock, offset: number, range: Range, rate: number): Promise<void> {
    const { ridge, radius, set, codeSteps, codeTolerance, H } = this.#settings;
    const count = range.end - range.start;
    const wide = this.shape.V >= WIDE;
    if (this.step % REFRESH === 0) await this.precondition();
    if (this.epoch > 0 && wide) {
      // In a wide table W moves so far in an epoch that the old code costs more than a code of 0.
      clearCodes(this.E, this.shape, { start: offset + range.start, end: offset + range.end });
    }
    const early = this.epoch === 0 && (wide || this.step < FIRST_VISITS);
    const firstSteps = Math.min(wide ? WIDE_FIRST_STEPS : FIRST_STEPS, codeSteps);
    const at = { ...this.point(placed), offset, range };
    await this.#engine.solve('codes', at, {
      steps: early ? firstSteps : codeSteps,
      tolerance: codeTolerance,
      inverseHessian: this.#inverseHessian,
      ridge,
      radius,
      set,
      losses: this.#losses,
      sums: {
        gradient: this.#adam.gradient,
        curvature: this.#bendSums,
        running: { means: this.bends, share: CURVATURE_MEMORY },
      },
    });
    this.#unread.push({ range, weights: placed.rowWeights?.values });
    this.step++;
    const { step, width } = this;
    this.#adam.step(this.W, { rate, step, scale: 1 / count, width, free: H, ridge, prices: this.#prices });
  }

  /**
   * Reads back the losses of visits and adds them up in their order. Nothing is read inside a visit, which
   * would have to wait for a device.
   */
  async #readBack(): Promise<void> {
    const visits = this.#unread;
    if (visits.length === 0) return;
    this.#unread = [];
    const first = Math.min(...visits.map(({ range }) => range.start));
    const losses = await this.#losses.read(first, Math.max(...visits.map(({ range }) => range.end)));
    for (const { range, weights } of visits) {
      const seen = losses.subarray(range.start - first, range.end - first);
      this.#visited.loss += weightedSum(seen, weights?.subarray(range.start, range.end));
      this.#visited.rows += seen.length;
    }
  }

  get #between(): Engine {
    return this.#held?.engine ?? this.#engine;
  }

  async snapshot(): Promise<TrainerState> {
    await this.#readBack();
    const { epoch, batch, step } = this;
    const { ridge } = this.#settings;
    const best = this.#best && { validation: this.#best.validation, last: this.#best.last };
    return {
      arrays: {
        W: await this.W.read(),
        E: await this.E.read(),
        ...(await this.#adam.snapshot()),
        inverseHessian: await this.#inverseHessian.read(),
        curvature: await this.bends.read(),
        bestW: this.#best?.W,
      },
      state: { epoch, batch, step, ridge, visited: { ...this.#visited }, best } satisfies FastState,
    };
  }

  async restore(from: TrainerState): Promise<void> {
    const { fastState } = await import('./checkpoint/fast-state.ts');
    const { epoch, batch, step, visited, best } = fastState(from);
    restored.floats(this.W, from, 'W');
    restored.floats(this.E, from, 'E');
    this.#adam.restore(from);
    restored.floats(this.#inverseHessian, from, 'inverseHessian');
    this.bends.write(restored.array(from, 'curvature', this.shape.V, Float64Array));
    this.#best = best && { ...best, W: restored.array(from, 'bestW', this.W.length, Float32Array) };
    Object.assign(this, { epoch, batch, step });
    this.#visited = { ...visited };
  }

  free(): void {
    for (const used of [this.W, this.E, this.#adam, this.#bendSums, this.bends]) used.free();
    for (const used of [this.#losses, this.#gaps, this.#inverseHessian, this.#prices]) used?.free();
  }
}

/** How a trainer is measured between its visits. */
interface Held {
  /** The engine for measurements, which an abort may end half-way. */
  readonly engine: Engine;
  readonly validation?: { loss(trainer: FastTrainer, ridge: number): Promise<number> };
  finishSeconds(trainer: FastTrainer): Promise<number>;
}

/** Codes of unit variance are rarely larger. Under the small ridge of many rows, codes may be. */
const USUAL_REACH = 6;

/** A visit that is over. */
interface Visit {
  readonly range: Range;
  readonly weights?: Float32Array;
}

/** The most measurements of validation rows, slack and gap in a run. */
const LOOKS = 20;
/**
 * The least number of epochs between two measurements of slack and gap: one takes a third of an epoch's time.
 */
const SPARSELY = 3;
/** The radius of the box for gaps, in deviations of the codes. */
const GAP_RADIUS = 4;
/** The most steps on codes in the first visits of the first epoch, when W is not worth more yet. */
const FIRST_STEPS = 5;
const FIRST_VISITS = 100;
/** The same in a wide table, where the rounds at the end bring codes closer for less. */
const WIDE_FIRST_STEPS = 2;
/** Steps of W between two renewals of the preconditioner. */
const REFRESH = 4;

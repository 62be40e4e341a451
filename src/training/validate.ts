import { type Block, type Engine, type Floats, floatsOf } from '../engine/engine.ts';
import { weightedSum } from '../rows/weights.ts';
import { clearCodes } from '../solvers/codes.ts';
import { chooseShrink } from '../solvers/shrink.ts';
import type { FastTrainer } from './fast.ts';
import { ROOM } from './finish.ts';
import type { HeldSet } from './training-set.ts';

/** Validation rows. Their loss decides when to stop; guesses at their hidden entries decide the ridge. */
export class Validation {
  readonly #engine: Engine;
  readonly #held: HeldSet;
  readonly #block: Block;
  readonly #columnWeights?: Floats;
  readonly #E: Floats;
  readonly #losses: Floats;

  constructor(engine: Engine, held: HeldSet, width: number) {
    const { rows, columnWeights } = held;
    this.#engine = engine;
    this.#held = held;
    this.#block = engine.load(rows);
    this.#columnWeights = columnWeights && floatsOf(engine, columnWeights);
    this.#E = engine.floats(rows.n * width);
    this.#losses = engine.floats(rows.n);
  }

  /**
   * The mean loss under the trainer's present weights. Codes are found afresh, so that the result depends on
   * the weights alone and a resumed run sees the same; and, like the training codes, under the ridge that
   * keeps real codes finite. The loss is reported without it.
   */
  async loss(trainer: FastTrainer, ridge: number): Promise<number> {
    const { shape, W } = trainer;
    clearCodes(this.#E, shape);
    const at = {
      block: this.#block,
      shape,
      W,
      E: this.#E,
      loss: trainer.loss,
      columnWeights: this.#columnWeights,
    };
    await this.#engine.solve('codes', at, {
      steps: 30,
      tolerance: 1e-3,
      inverseHessian: await trainer.precondition(),
      ridge,
      radius: trainer.radius,
      set: trainer.set,
      losses: this.#losses,
    });
    return weightedSum(await this.#losses.read(), this.#held.rowWeights) / this.#block.n;
  }

  /**
   * The mean loss of an entry that is hidden and guessed as `impute` does, over about `entries` entries. The
   * loss of whole rows would say little about weights, because codes see every entry that they are judged by.
   *
   * Codes are held within the radius that the finished model will have. Otherwise weights that a strong ridge
   * makes vanish could still guess well, with codes as large as the weights are small.
   */
  async entryLoss(trainer: FastTrainer, entries?: number): Promise<number> {
    const { shape, W, loss, set, radius, bends } = trainer;
    const room = Number.isFinite(radius) ? radius : ROOM * Math.max(LEAST, ...(await trainer.reach()));
    const { rows, rowWeights, columnWeights, groups } = this.#held;
    const decoder = {
      shape,
      W: await W.read(),
      loss,
      set,
      radius: room,
      columnWeights,
      curvature: Float32Array.from(await bends.read()),
    };
    return (await chooseShrink(this.#engine, decoder, rows, { rowWeights, groups, entries })).entryLoss;
  }

  free(): void {
    this.#block.free();
    this.#columnWeights?.free();
    this.#E.free();
    this.#losses.free();
  }
}

/** The least radius, for codes that are all 0. */
const LEAST = 1e-6;

import type { Block, Engine, Floats, Point } from '../engine/engine.ts';
import { type HiddenEntries, hideEntries } from '../rows/hide.ts';
import type { Rows } from '../rows/rows.ts';
import { clearCodes } from '../solvers/codes.ts';
import { type FastTrainer, weightedSum } from './fast.ts';
import type { HeldSet } from './training-set.ts';

/** Rows held out of learning: their loss at codes of their own, to stop by, and of hidden entries, to choose a ridge by. */
export class Validation {
  readonly #engine: Engine;
  readonly #rows: Rows;
  readonly #block: Block;
  readonly #columnWeights?: Floats;
  readonly #rowWeights?: Float32Array;
  readonly #E: Floats;
  readonly #losses: Floats;
  readonly #width: number;
  readonly #bias: boolean;
  #entries?: HiddenEntries;

  constructor(engine: Engine, held: HeldSet, width: number, bias: boolean) {
    const { rows, columnWeights } = held;
    this.#engine = engine;
    this.#rows = rows;
    this.#block = engine.load(rows);
    this.#columnWeights = columnWeights && engine.floats(columnWeights.length);
    if (columnWeights) this.#columnWeights?.write(columnWeights);
    this.#rowWeights = held.rowWeights;
    this.#E = engine.floats(rows.n * width);
    this.#losses = engine.floats(rows.n);
    this.#width = width;
    this.#bias = bias;
  }

  /**
   * The mean loss under the trainer's present weights. Codes are found afresh, so that the result depends on the weights
   * alone and a resumed run sees the same; and, like the training codes, under the ridge that keeps real codes finite.
   * The loss is reported without it.
   */
  async loss(trainer: FastTrainer, ridge: number): Promise<number> {
    await this.#encode(trainer, this.#block, ridge);
    return weightedSum(this.#losses.read(), this.#rowWeights) / this.#block.n;
  }

  /**
   * The mean loss of an entry that is hidden when the row's code is found. The loss of whole rows says little about the
   * weights, because their codes see every entry that they are judged by.
   */
  async entryLoss(trainer: FastTrainer, ridge: number): Promise<number> {
    this.#entries ??= hideEntries(this.#rows, HIDDEN, 1);
    const { shown, hidden, count } = this.#entries;
    const [seen, guessed] = [shown, hidden].map((rows) => this.#engine.load(rows));
    try {
      await this.#encode(trainer, seen, ridge);
      await this.#engine.measure(this.#at(trainer, guessed), { losses: this.#losses });
      return weightedSum(this.#losses.read(), this.#rowWeights) / Math.max(1, count);
    } finally {
      seen.free();
      guessed.free();
    }
  }

  /** Codes of the rows under the trainer's weights, and their losses. */
  async #encode(trainer: FastTrainer, block: Block, ridge: number): Promise<void> {
    clearCodes(this.#E, this.#width, this.#bias);
    await this.#engine.solve('codes', this.#at(trainer, block), {
      steps: 30,
      tolerance: 1e-3,
      inverseHessian: await trainer.precondition(),
      ridge,
      ...{ radius: trainer.radius, set: trainer.set },
      losses: this.#losses,
    });
  }

  #at({ shape, W, loss }: FastTrainer, block: Block): Point {
    return { block, shape, W, E: this.#E, loss, columnWeights: this.#columnWeights };
  }

  free(): void {
    this.#block.free();
    this.#columnWeights?.free();
    this.#E.free();
    this.#losses.free();
  }
}

/** The share of entries that are hidden. */
const HIDDEN = 0.1;

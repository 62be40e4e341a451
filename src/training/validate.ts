import type { Block, Engine, Floats } from '../engine/engine.ts';
import type { Rows } from '../rows/rows.ts';
import { clearCodes } from '../solvers/codes.ts';
import type { FastTrainer } from './fast.ts';

/** Rows held out of learning, to stop it or to choose a ridge by: their loss at codes of their own. */
export class Validation {
  readonly #engine: Engine;
  readonly #block: Block;
  readonly #E: Floats;
  readonly #losses: Floats;
  readonly #width: number;
  readonly #bias: boolean;

  constructor(engine: Engine, rows: Rows, width: number, bias: boolean) {
    this.#engine = engine;
    this.#block = engine.load(rows);
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
    const { shape, W } = trainer;
    clearCodes(this.#E, this.#width, this.#bias);
    const at = { block: this.#block, shape, W, E: this.#E, loss: trainer.loss };
    await this.#engine.solve('codes', at, {
      steps: 30,
      tolerance: 1e-3,
      inverseHessian: await trainer.precondition(),
      ridge,
      losses: this.#losses,
    });
    let sum = 0;
    for (const loss of this.#losses.read()) sum += loss;
    return sum / this.#block.n;
  }

  free(): void {
    this.#block.free();
    this.#E.free();
    this.#losses.free();
  }
}

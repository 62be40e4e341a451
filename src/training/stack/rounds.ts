import type { Block } from '../../engine/engine.ts';
import { sum } from '../../rows/sum.ts';
import type { Seen, Trainer } from '../loop/trainer.ts';
import { backward, deepLosses, forward } from './passes.ts';
import type { Layer } from './stack.ts';

/** The result of a round of passes on the training rows. */
export interface StackRound {
  readonly round: number;
  readonly coupling: number;
  /** Mean loss of rows decoded from the topmost codes alone, per row. */
  readonly loss: number;
}

interface RoundsSettings {
  readonly rounds: number;
  /** How strongly activations are tied to what the layer above decodes to, in the last round. */
  readonly coupling: number;
  readonly ridge: number;
}

/** Rounds of backward and forward passes, with a coupling that grows from 1. An epoch is a round. */
export class StackRounds implements Trainer {
  /** Activations of each layer, n x H. */
  A: Float32Array[];
  readonly history: StackRound[] = [];
  readonly #layers: readonly Layer[];
  readonly #block: Block;
  readonly #settings: RoundsSettings;
  #passed = false;

  constructor(layers: readonly Layer[], block: Block, A: Float32Array[], settings: RoundsSettings) {
    this.A = A;
    this.#layers = layers;
    this.#block = block;
    this.#settings = settings;
  }

  /** Measures the stack before the first round. */
  async start(): Promise<void> {
    this.history.push({ round: 0, coupling: 1, loss: await this.visitedLoss() });
  }

  get epoch(): number {
    return this.history.length - 1;
  }

  get share(): number {
    return this.#passed ? 1 : 0;
  }

  get coupling(): number {
    return this.history[this.epoch].coupling;
  }

  rate(): number {
    return 0;
  }

  async *visits(): AsyncGenerator<number> {
    this.A = await backward(this.#layers, this.#block, this.A, this.#next);
    await forward(this.#layers, this.#block, this.A, this.#settings.ridge);
    this.#passed = true;
    yield this.#block.n;
  }

  async visitedLoss(): Promise<number> {
    const losses = await deepLosses(this.#layers, this.#block, this.A[this.A.length - 1]);
    return sum(losses) / this.#block.n;
  }

  async endEpoch(): Promise<Seen> {
    const loss = await this.visitedLoss();
    this.history.push({ round: this.history.length, coupling: this.#next, loss });
    this.#passed = false;
    return { loss, rate: 0 };
  }

  get #next(): number {
    const { coupling, rounds } = this.#settings;
    return coupling ** (this.history.length / rounds);
  }
}

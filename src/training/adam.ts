import type { AdamOptions, Engine, Floats, Moments } from '../engine/engine.ts';
import { restored } from './checkpoint/restored.ts';
import type { TrainerState } from './loop/trainer.ts';

/** Adam's steps on all weights, along the gradient that a visit has left in `gradient`. */
export class Adam {
  readonly gradient: Floats;
  readonly #engine: Engine;
  readonly #moments: Moments;

  constructor(engine: Engine, size: number) {
    this.#engine = engine;
    this.gradient = engine.floats(size);
    this.#moments = { first: engine.floats(size), second: engine.floats(size) };
  }

  step(W: Floats, options: Omit<AdamOptions, 'beta1' | 'beta2' | 'epsilon'>): void {
    this.#engine.adam(W, this.gradient, this.#moments, { ...options, ...DECAY });
  }

  /** Forgets the steps so far. */
  forget(): void {
    this.#moments.first.fill(0);
    this.#moments.second.fill(0);
  }

  async snapshot(): Promise<Record<keyof Moments, Float32Array>> {
    return { first: await this.#moments.first.read(), second: await this.#moments.second.read() };
  }

  restore(from: TrainerState): void {
    restored.floats(this.#moments.first, from, 'first');
    restored.floats(this.#moments.second, from, 'second');
  }

  free(): void {
    for (const used of [this.gradient, this.#moments.first, this.#moments.second]) used.free();
  }
}

const DECAY = { beta1: 0.9, beta2: 0.99, epsilon: 1e-8 };

import type { Engine, Floats, Point, Range, Running } from '../../engine/engine.ts';
import { Adam } from '../adam.ts';
import type { TrainerState } from '../loop/trainer.ts';
import { CURVATURE_MEMORY, rateAt, TYPICAL_CURVATURE, warmedUp } from '../minibatch.ts';

/**
 * One step of the relaxation: codes are independent random bits with means tanh(a). A few mean-field steps
 * move the a of a minibatch, then one Adam step moves W along the gradient of the expected loss, to second
 * order.
 */
export class Relaxation {
  readonly #engine: Engine;
  readonly #rate: number;
  readonly #adam: Adam;
  /** The running mean over rows of Psi''(m_v) / 2. */
  readonly bends: Running;

  constructor(engine: Engine, { V, H, rate }: { V: number; H: number; rate: number }) {
    this.#engine = engine;
    this.#rate = rate;
    this.#adam = new Adam(engine, V * (H + 1));
    this.bends = engine.running(V);
    this.bends.write(new Float64Array(V).fill(TYPICAL_CURVATURE));
  }

  /** Forgets the running means and moments of earlier steps. */
  begin(V: number): void {
    this.#adam.forget();
    this.bends.write(new Float64Array(V).fill(TYPICAL_CURVATURE));
  }

  /**
   * Step number `step`, counted from 1, on a range of the rows of `at`, when a share of the relaxation is
   * done. Moves a and W; writes the losses of the rows.
   */
  async step(
    at: Point & { readonly range: Range },
    { progress, step, ridge, losses }: { progress: number; step: number; ridge: number; losses: Floats },
  ): Promise<void> {
    const { H } = at.shape;
    await this.#engine.relax(at, {
      steps: STEPS,
      damping: DAMPING,
      temperature: HOT * (COLD / HOT) ** progress,
      bends: this.bends,
      follow: CURVATURE_MEMORY,
      gradient: this.#adam.gradient,
      losses,
    });
    this.#adam.step(at.W, {
      rate: warmedUp(rateAt(this.#rate, progress, LEAST_RATE), step),
      step,
      scale: 1 / (at.range.end - at.range.start),
      width: H + 1,
      free: H,
      ridge,
    });
  }

  snapshot(): ReturnType<Adam['snapshot']> {
    return this.#adam.snapshot();
  }

  restore(from: TrainerState): void {
    this.#adam.restore(from);
  }

  free(): void {
    this.#adam.free();
    this.bends.free();
  }
}

/** Mean-field steps on a minibatch for each step of W, their damping, temperatures by the mean curvature. */
const STEPS = 4;
const DAMPING = 0.25;
const HOT = 0.5;
const COLD = 0.14;
/** The share of the rate that is left at the end of the relaxation. */
const LEAST_RATE = 0.05;

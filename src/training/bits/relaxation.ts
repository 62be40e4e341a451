import type { Engine, Floats, Moments, Point, Range, Sums } from '../../engine/engine.ts';
import { meanCurvature, unitCurvatures } from '../../solvers/encode-bits.ts';
import { restored } from '../checkpoint.ts';
import { followCurvature, rateAt, TYPICAL_CURVATURE, warmedUp } from '../minibatch.ts';
import type { TrainerState } from '../trainer.ts';

/**
 * One step of the relaxation: codes are independent random bits with means tanh(a). A few mean-field steps move the a of
 * a minibatch, then one Adam step moves W along the gradient of the expected loss, to second order.
 */
export class Relaxation {
  readonly #engine: Engine;
  readonly #rate: number;
  readonly #moments: Moments;
  readonly #sums: Sums;
  readonly #curvatures: Floats;

  constructor(engine: Engine, { V, H, rate }: { V: number; H: number; rate: number }) {
    const size = V * (H + 1);
    this.#engine = engine;
    this.#rate = rate;
    this.#moments = { first: engine.floats(size), second: engine.floats(size) };
    this.#sums = { gradient: engine.floats(size), curvature: engine.floats(V) };
    this.#curvatures = engine.floats(H);
  }

  /** Forgets what the steps so far have told. */
  begin(curvature: Float64Array): void {
    const { first, second } = this.#moments;
    first.fill(0);
    second.fill(0);
    curvature.fill(TYPICAL_CURVATURE);
  }

  /**
   * Step number `step`, counted from 1, on a range of the rows of `at`, when a share of the relaxation is done. Moves a
   * and W, and `curvature`, the running mean of Psi''(m_v) / 2; writes the losses of the rows.
   */
  async step(
    at: Point & { readonly range: Range },
    curvature: Float64Array,
    { progress, step, ridge, losses }: { progress: number; step: number; ridge: number; losses: Floats },
  ): Promise<void> {
    const { H, V } = at.shape;
    const width = H + 1;
    const count = at.range.end - at.range.start;
    const W = await at.W.read();
    const spread = await spreadOf(at);
    const curvatures = unitCurvatures(W, curvature, H);
    this.#curvatures.write(curvatures);
    await this.#engine.relax(at, {
      steps: STEPS,
      temperature: meanCurvature(curvatures) * HOT * (COLD / HOT) ** progress,
      damping: DAMPING,
      curvatures: this.#curvatures,
      sums: this.#sums,
      losses,
    });
    followCurvature(curvature, await this.#sums.curvature.read(), count);
    // The expected loss bends with W: its second-order term adds D_v W_vh mean(1 - e_h^2) to the gradient.
    const gradient = await this.#sums.gradient.read();
    for (let v = 0; v < V; v++) {
      for (let h = 0; h < H; h++) {
        gradient[v * width + h] += count * curvature[v] * W[v * width + h] * spread[h];
      }
    }
    this.#sums.gradient.write(gradient);
    this.#engine.adam(at.W, this.#sums.gradient, this.#moments, {
      rate: warmedUp(rateAt(this.#rate, progress, LEAST_RATE), step),
      ...{ beta1: 0.9, beta2: 0.99, epsilon: 1e-8, step, scale: 1 / count },
      ...{ width, free: H, ridge },
    });
  }

  async snapshot(): Promise<{ first: Float32Array; second: Float32Array }> {
    return { first: await this.#moments.first.read(), second: await this.#moments.second.read() };
  }

  restore(from: TrainerState): void {
    restored.floats(this.#moments.first, from, 'first');
    restored.floats(this.#moments.second, from, 'second');
  }

  free(): void {
    const { first, second } = this.#moments;
    const { gradient, curvature } = this.#sums;
    for (const floats of [first, second, gradient, curvature, this.#curvatures]) floats.free();
  }
}

/** Mean of 1 - e_h^2 over the first rows of a range. */
async function spreadOf({ E, shape, range }: Point & { readonly range: Range }): Promise<Float64Array> {
  const { H } = shape;
  const width = H + 1;
  const rows = Math.min(SPREAD_ROWS, range.end - range.start);
  const a = await E.read(range.start * width, (range.start + rows) * width);
  const spread = new Float64Array(H);
  for (let i = 0; i < rows; i++) {
    for (let h = 0; h < H; h++) spread[h] += (1 - Math.tanh(a[i * width + h]) ** 2) / rows;
  }
  return spread;
}

/** Mean-field steps on a minibatch for each step of W, their damping, temperatures by the mean curvature. */
const STEPS = 4;
const DAMPING = 0.25;
const HOT = 0.5;
const COLD = 0.14;
/** What is left of the rate when the relaxation ends. */
const LEAST_RATE = 0.05;
/** Rows of a minibatch that tell how undecided the bits still are. */
const SPREAD_ROWS = 128;

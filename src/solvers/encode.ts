import type { Block, Engine, Floats, Shape } from '../engine/engine.ts';
import type { Loss } from '../losses/loss.ts';
import type { Rows } from '../rows/rows.ts';
import { clearCodes, inverseHessian } from './codes.ts';

/** What encoding needs to know of a model. */
export interface Decoder {
  readonly shape: Shape;
  /** V x width. */
  readonly W: Float32Array;
  readonly loss: Loss;
  /** Codes are searched among those with |e_h| <= radius, and proven optimal there. */
  readonly radius: number;
  /** Mean over the training rows of Psi''(m_v) / 2. */
  readonly curvature: Float32Array;
}

/** Codes and their certificates, one a row; losses and gaps in the unit of the loss, computed in float64. */
export interface Encoded {
  readonly n: number;
  readonly H: number;
  /** n x H. */
  readonly codes: Float32Array;
  readonly losses: Float64Array;
  /** Each code's loss is proven to be at most this far above the best that any code can reach. */
  readonly gaps: Float64Array;
}

/**
 * Enc(x; W) of Prop. 2, for many rows, certified: conjugate gradients with one preconditioner for all rows bring
 * every code close, then float64 Newton steps finish the rows that the dual bound has not yet proven to be within
 * `tolerance`. Each row's result depends on that row and the model alone.
 */
export class Encoder {
  readonly #engine: Engine;
  readonly #decoder: Decoder;
  readonly #W: Floats;
  readonly #inverseHessian: Floats;

  private constructor(engine: Engine, decoder: Decoder, W: Floats, inverse: Floats) {
    this.#engine = engine;
    this.#decoder = decoder;
    this.#W = W;
    this.#inverseHessian = inverse;
  }

  static async create(engine: Engine, decoder: Decoder): Promise<Encoder> {
    const { V, H, bias } = decoder.shape;
    const width = bias ? H + 1 : H;
    const W = engine.floats(V * width);
    W.write(decoder.W);
    const weights = engine.floats(V);
    weights.write(decoder.curvature);
    const gram = await engine.gram(W, V, width, weights);
    const inverse = engine.floats(H * H);
    inverse.write(inverseHessian(gram, width, H, 0));
    weights.free();
    return new Encoder(engine, decoder, W, inverse);
  }

  /** Encodes a few thousand rows at once; larger sets come in pieces. */
  async encode(rows: Rows, tolerance: number): Promise<Encoded> {
    const engine = this.#engine;
    const { shape, loss, radius } = this.#decoder;
    const { H, bias } = shape;
    const width = bias ? H + 1 : H;
    const block: Block = engine.load(rows);
    const E = engine.floats(rows.n * width);
    clearCodes(E, width, bias);
    const at = { block, shape, W: this.#W, E, loss };
    await engine.solve('codes', at, {
      steps: CONJUGATE_STEPS,
      tolerance: 0.1 * tolerance,
      inverseHessian: this.#inverseHessian,
      ridge: 0,
      radius,
    });
    const { losses, gaps } = await engine.polish(at, { tolerance, steps: NEWTON_STEPS, radius });
    const stored = E.read();
    E.free();
    block.free();
    const codes = new Float32Array(rows.n * H);
    for (let i = 0; i < rows.n; i++) codes.set(stored.subarray(i * width, i * width + H), i * H);
    return { n: rows.n, H, codes, losses, gaps };
  }

  free(): void {
    this.#W.free();
    this.#inverseHessian.free();
  }
}

const CONJUGATE_STEPS = 60;
const NEWTON_STEPS = 60;

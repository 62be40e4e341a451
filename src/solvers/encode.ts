import type { CodeSet } from '../encodings/encoding.ts';
import type { Engine, Floats, Point, Range, Shape } from '../engine/engine.ts';
import { floatsOf, WIDE, widthOf } from '../engine/engine.ts';
import { inverseHessian } from '../engine/mean-hessian.ts';
import type { Certificates } from '../engine/proofs.ts';
import { unproven } from '../engine/unproven.ts';
import type { Loss } from '../losses/loss.ts';
import type { Rows } from '../rows/rows.ts';
import { clearCodes, measureCodes, withoutBias, withRows } from './codes.ts';

/** What encoding needs from a model. */
export interface Decoder {
  readonly shape: Shape;
  /** V x width. */
  readonly W: Float32Array;
  readonly loss: Loss;
  /** Codes are searched among those with |e_h| <= radius, and proven optimal there. */
  readonly radius: number;
  /** Codes are searched in this set, of size `radius`, if it is not the box. */
  readonly set?: CodeSet;
  /** Mean over the training rows of Psi''(m_v) / 2. */
  readonly curvature: Float32Array;
  /** The weight of an entry of each column; 1 if absent. */
  readonly columnWeights?: Float32Array;
}

/**
 * Codes and their certificates, one per row; losses and gaps in the unit of the loss, in float64 unless codes
 * are bits.
 */
export interface Encoded {
  readonly n: number;
  readonly H: number;
  /** n x H. */
  readonly codes: Float32Array;
  readonly losses: Float64Array;
  /** Each code's loss is proven to be at most this far above the best that any code can reach. */
  readonly gaps: Float64Array;
  /** Codes of bits: no change of up to this many bits lowers the row's loss; H if all codes were tried. */
  readonly flipOptimal?: Uint8Array;
}

/** Rows of the engine, or a range of them, and their codes: in E, from row `offset` on. */
export type Coded = Pick<Point, 'block' | 'E' | 'offset' | 'range'>;

/**
 * Enc(x; W) of Prop. 2, for many rows, certified: from codes that are linear in the rows, conjugate gradients
 * with one preconditioner for all rows bring every code close, then float64 Newton steps finish the rows that
 * the dual bound has not yet proven to be within `tolerance`. Each row's result depends on that row and the
 * model alone.
 */
export class Encoder {
  readonly #engine: Engine;
  readonly #decoder: Decoder;
  readonly #W: Floats;
  readonly #inverseHessian: Floats;
  readonly #curvature: Floats;
  readonly #columnWeights?: Floats;
  readonly #shrink: number;

  private constructor(engine: Engine, decoder: Decoder, W: Floats, inverse: Floats, shrink: number) {
    this.#engine = engine;
    this.#decoder = decoder;
    this.#shrink = shrink;
    this.#W = W;
    this.#inverseHessian = inverse;
    this.#curvature = floatsOf(engine, decoder.curvature);
    this.#columnWeights = decoder.columnWeights && floatsOf(engine, decoder.columnWeights);
  }

  /**
   * With `shrink` a row's code is where its loss + (shrink/2) |e|^2 is smallest: further from what the row's
   * entries say, closer to what the bias says of all rows. Losses and gaps are those of the loss alone, in
   * float32.
   */
  static async create(
    engine: Engine,
    decoder: Decoder,
    shrink = 0,
    kept = new Preconditioners(),
  ): Promise<Encoder> {
    const W = floatsOf(engine, decoder.W);
    const inverse = floatsOf(engine, await kept.find(engine, W, decoder, shrink));
    return new Encoder(engine, decoder, W, inverse, shrink);
  }

  /** Encodes a few thousand rows at once; larger sets come in pieces. */
  async encode(rows: Rows, tolerance: number): Promise<Encoded> {
    const { H } = this.#decoder.shape;
    const width = widthOf(this.#decoder.shape);
    return withRows(this.#engine, rows, width, async (block, E) => {
      const { losses, gaps } = await this.encodeBlock({ block, E }, tolerance);
      return { n: rows.n, H, codes: withoutBias(await E.read(), H, width), losses, gaps };
    });
  }

  /** Encodes rows of the engine, whatever E held. */
  async encodeBlock(rows: Coded, tolerance: number): Promise<Certificates> {
    const { shape, radius, set } = this.#decoder;
    const at = this.#at(rows);
    const { offset, range } = at;
    clearCodes(at.E, shape, { start: offset + range.start, end: offset + range.end });
    if (this.#shrink > 0) return this.shrunken(rows, tolerance);
    await this.#engine.solve('codes', at, {
      steps: shape.V < WIDE ? CONJUGATE_STEPS : WIDE_CONJUGATE_STEPS,
      tolerance: 0.1 * tolerance,
      inverseHessian: this.#inverseHessian,
      linear: this.#curvature,
      ridge: 0,
      radius,
      set,
    });
    const certificates = await this.#engine.polish(at, {
      tolerance,
      steps: NEWTON_STEPS,
      radius,
      set,
      inverseHessian: this.#inverseHessian,
    });
    await this.#polishAgain(at, tolerance, certificates);
    return certificates;
  }

  /** Rows that are not proven yet get more steps from where they are, a few times; their gaps stay honest. */
  async #polishAgain(
    at: Point & { readonly range: Range },
    tolerance: number,
    certificates: Certificates,
  ): Promise<void> {
    const { losses, gaps } = certificates;
    const { start } = at.range;
    for (let round = 0; round < MORE_ROUNDS; round++) {
      const open = unproven(gaps, tolerance);
      if (open.length === 0) return;
      const rows = open.map((i) => start + i);
      const { radius, set } = this.#decoder;
      const options = { tolerance, steps: NEWTON_STEPS, radius, set, rows };
      const more = await this.#engine.polish(at, options);
      open.forEach((i, k) => {
        losses[i] = more.losses[k];
        gaps[i] = more.gaps[k];
      });
    }
  }

  /** A few steps from the codes that E holds; losses, and the gaps of Frank and Wolfe, in float32. */
  async approach(rows: Coded, steps: number): Promise<Certificates> {
    await this.#steps(rows, steps, CLOSE);
    return this.measure(rows);
  }

  /** The shrunken codes of rows, from the codes that E holds. */
  async shrunken(rows: Coded, tolerance: number): Promise<Certificates> {
    await this.#steps(rows, SHRUNKEN_STEPS, SHRUNKEN_SHARE * tolerance);
    return this.measure(rows);
  }

  #steps(rows: Coded, steps: number, tolerance: number): Promise<void> {
    const { radius, set } = this.#decoder;
    const inverseHessian = this.#inverseHessian;
    const options = { steps, tolerance, inverseHessian, ridge: this.#shrink, radius, set };
    return this.#engine.solve('codes', this.#at(rows), options);
  }

  /** Losses, and the gaps of Frank and Wolfe, of the codes that E holds, in float32. */
  measure(rows: Coded): Promise<Certificates> {
    // Every set of a size lies in the box of that radius, whose gap is no smaller.
    return measureCodes(this.#engine, this.#at(rows), this.#decoder.radius);
  }

  #at({ block, E, offset = 0, range = { start: 0, end: block.n } }: Coded) {
    const { shape, loss } = this.#decoder;
    return { block, shape, W: this.#W, E, offset, range, loss, columnWeights: this.#columnWeights };
  }

  free(): void {
    this.#W.free();
    this.#inverseHessian.free();
    this.#curvature.free();
    this.#columnWeights?.free();
  }
}

/**
 * The inverse of the mean Hessian of the codes, (W^T diag(curvature) W + shrink)^-1, of one decoder on one
 * engine: found once, so that encoding row after row does not find it again and again.
 */
export class Preconditioners {
  #kept?: { readonly shrink: number; readonly inverse: Float64Array };

  async find(engine: Engine, W: Floats, decoder: Decoder, shrink: number): Promise<Float64Array> {
    if (this.#kept?.shrink === shrink) return this.#kept.inverse;
    const { V, H } = decoder.shape;
    const width = widthOf(decoder.shape);
    const weights = floatsOf(engine, decoder.curvature);
    const gram = await engine.gram(W, V, width, weights);
    weights.free();
    const inverse = inverseHessian(gram, width, H, shrink);
    this.#kept = { shrink, inverse };
    return inverse;
  }
}

/**
 * Half as many are a little faster, but leave codes that need no further steps further from their optimum
 * (docs/notes/solvers.md).
 */
const CONJUGATE_STEPS = 20;
/** Newton's steps cost no more than two or three of these in wide tables. */
const WIDE_CONJUGATE_STEPS = 4;
const NEWTON_STEPS = 60;
/** What a step of `approach` has to promise, in nats. */
const CLOSE = 0.05;
/**
 * Shrunken codes have no Newton steps to finish them: a row ends with the step that promises less than this
 * share of the tolerance. With the usual tolerance that is 1e-6, and the row some 1e-4 nats above its
 * optimum; 1e-5 leaves rows of little curvature 0.01 above. The number of steps is only an end.
 */
const SHRUNKEN_SHARE = 1e-4;
const SHRUNKEN_STEPS = 1000;
const MORE_ROUNDS = 3;

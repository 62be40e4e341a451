import { setOf } from '../../encodings/by-name.ts';
import { type Block, type Engine, type Floats, floatsOf, widthOf } from '../../engine/engine.ts';
import { Preconditioners } from '../../solvers/encode.ts';
import { bitLosses } from '../look.ts';
import type { FurtherSettings, Remembered } from './further.ts';
import { type Imagined, imagine } from './imagined.ts';

/** Rows in the place of those that are gone, in the engine, with codes that follow the weights. */
export class ImaginedRows {
  readonly count: number;
  /** As they were imagined. */
  readonly rows: Imagined;
  readonly #engine: Engine;
  readonly #before: Remembered;
  readonly #settings: FurtherSettings;
  readonly #block: Block;
  readonly #E: Floats;
  /** The mean loss of each bit at the weights that imagined them. */
  readonly #least: Float64Array;

  private constructor(engine: Engine, before: Remembered, settings: FurtherSettings, rows: Imagined) {
    const { V } = settings.shape;
    this.count = rows.values.length / V;
    this.rows = rows;
    this.#engine = engine;
    this.#before = before;
    this.#settings = settings;
    this.#block = engine.load({ kind: 'real', n: this.count, V, values: rows.values });
    this.#E = floatsOf(engine, rows.codes);
    this.#least = new Float64Array(V);
  }

  static async open(engine: Engine, before: Remembered, settings: FurtherSettings): Promise<ImaginedRows> {
    const count = Math.max(LEAST, FOR_EACH_WEIGHT * widthOf(settings.shape));
    const { W, moments, curvature, n } = before;
    const memory = { ...settings, W, moments, curvature, seed: settings.seed + n };
    const imagined = new ImaginedRows(engine, before, settings, await imagine(engine, memory, count));
    imagined.#least.set(await imagined.#losses(W));
    return imagined;
  }

  /**
   * Their best codes under these weights, from those before on. Bits, which are searched for, stay as they
   * are.
   */
  async follow(weights: Float32Array): Promise<Float32Array> {
    const { encoding, shape, loss, radius, columnWeights } = this.#settings;
    if (encoding.discrete) return this.#E.read();
    const decoder = { ...this.#settings, W: weights, curvature: this.#before.curvature };
    const W = floatsOf(this.#engine, weights);
    const inverse = await new Preconditioners().find(this.#engine, W, decoder, 0);
    const inverseHessian = floatsOf(this.#engine, inverse);
    const columns = columnWeights && floatsOf(this.#engine, columnWeights);
    const at = { block: this.#block, shape, W, E: this.#E, loss, columnWeights: columns };
    const options = { steps: STEPS, tolerance: NOTHING, inverseHessian, ridge: 0 };
    await this.#engine.solve('codes', at, { ...options, radius, set: setOf(encoding) });
    for (const floats of [W, inverseHessian, columns]) floats?.free();
    return this.#E.read();
  }

  /** How much the mean loss of the rows that are gone is above its minimum, by these, which bend less. */
  async cost(W: Float32Array): Promise<number> {
    await this.follow(W);
    const weights = this.#settings.columnWeights;
    const cost = (await this.#losses(W)).reduce(
      (sum, loss, v) => sum + this.rows.stiffer[v] * (weights?.[v] ?? 1) * (loss - this.#least[v]),
      0,
    );
    return Math.max(0, cost);
  }

  async #losses(W: Float32Array): Promise<Float64Array> {
    const { shape, loss } = this.#settings;
    const held = floatsOf(this.#engine, W);
    const losses = await bitLosses(this.#engine, { block: this.#block, shape, W: held, E: this.#E, loss });
    held.free();
    return losses;
  }

  free(): void {
    this.#block.free();
    this.#E.free();
  }
}

/**
 * Imagined rows for each weight of a bit, and at least: enough for a Hessian that is not an accident of the
 * draw.
 */
const FOR_EACH_WEIGHT = 16;
const LEAST = 512;
/**
 * Conjugate-gradient steps of their codes: weights move little. A new row may change the loss of each by a
 * ten-thousandth of a nat.
 */
const STEPS = 20;
const NOTHING = 1e-7;

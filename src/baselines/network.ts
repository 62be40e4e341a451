import { type Block, type Engine, type Floats, floatsOf, type Moments } from '../engine/engine.ts';
import { crossEntropy } from '../losses/cross-entropy.ts';
import { type Rows, sliceRows } from '../rows/rows.ts';
import { sum } from '../rows/sum.ts';
import { withBias, withoutBias } from '../solvers/codes.ts';
import { type Units, units } from './units.ts';

/** The values of a bit as the encoding units see it: 0 or 1, or -1 or 1. */
export type Inputs = 'zero-one' | 'plus-minus';

/** The weights of a one-layer autoencoder: codes e = f(U^T x + b), log-odds of the bits W (e, 1). */
export interface Parameters {
  readonly V: number;
  readonly H: number;
  readonly units: Units;
  /** The coding of x. */
  readonly inputs: Inputs;
  /** V x H. */
  readonly U: Float32Array;
  /** H. */
  readonly b: Float32Array;
  /** V x (H + 1), the decoder's bias last. */
  readonly W: Float32Array;
}

/** Rows inside an engine, as the two layers want them: the inputs in their coding, the targets -1 and 1. */
export interface Piece {
  readonly n: number;
  readonly inputs: Block;
  readonly targets: Block;
  free(): void;
}

/**
 * A one-layer autoencoder inside an engine, with room for `capacity` rows at a time. The matrix products are
 * the engine's; the units, a number a unit and row, are plain loops here.
 */
export class Network {
  readonly #engine: Engine;
  readonly #shape: { readonly V: number; readonly H: number; readonly bias: true };
  readonly #units: Units;
  readonly #inputs: Inputs;
  readonly #layers: { readonly U: Layer; readonly b: Layer; readonly W: Layer };
  /** Inputs of the units (n x H), codes with the bias (n x (H + 1)), the gradient in either, losses. */
  readonly #A: Floats;
  readonly #E: Floats;
  readonly #D: Floats;
  readonly #G: Floats;
  readonly #losses: Floats;
  #steps = 0;

  constructor(engine: Engine, { V, H, units: kind, inputs, U, b, W }: Parameters, capacity: number) {
    this.#engine = engine;
    this.#shape = { V, H, bias: true };
    this.#units = kind;
    this.#inputs = inputs;
    this.#layers = { U: layer(engine, U, H), b: layer(engine, b, H), W: layer(engine, W, H + 1) };
    this.#A = engine.floats(capacity * H);
    this.#D = engine.floats(capacity * H);
    this.#E = engine.floats(capacity * (H + 1));
    this.#G = engine.floats(capacity * (H + 1));
    this.#losses = engine.floats(capacity);
  }

  /** Rows start to end as inputs and targets. Missing entries are inputs of 0, and no targets. */
  load(rows: Rows, start = 0, end = rows.n): Piece {
    const part = sliceRows(rows, start, end);
    const targets = this.#engine.load(part);
    if (this.#inputs === 'plus-minus')
      return { n: part.n, inputs: targets, targets, free: () => targets.free() };
    const inputs = this.#engine.load(unitInputs(part));
    return {
      n: part.n,
      inputs,
      targets,
      free() {
        inputs.free();
        targets.free();
      },
    };
  }

  /** One Adam step on the mean loss of the rows; returns the sum of their losses before it. */
  async step(piece: Piece, options: AdamSettings): Promise<number> {
    const { n } = piece;
    const { H } = this.#shape;
    const { U, b, W } = this.#layers;
    const { inputs, codes } = await this.#forward(piece);
    await this.#engine.gradients(this.#at(piece), {
      codes: this.#G,
      weights: W.gradient,
      losses: this.#losses,
    });
    const gradients = withoutBias(await this.#G.read(0, n * (H + 1)), H, H + 1);
    units[this.#units].back(gradients, inputs, codes);
    this.#D.write(gradients);
    await this.#engine.correlate(piece.inputs, this.#D, H, U.gradient);
    b.gradient.write(columnSums(gradients, H));
    this.#steps++;
    for (const { values, gradient, moments, width } of [U, b, W]) {
      const unpenalised = { width, free: width, ridge: 0 };
      this.#engine.adam(values, gradient, moments, {
        ...{ ...options, ...unpenalised, step: this.#steps, scale: 1 / n },
      });
    }
    return this.#totalLoss(n);
  }

  /** The sum of the rows' losses. */
  async loss(piece: Piece): Promise<number> {
    await this.#forward(piece);
    await this.#engine.measure(this.#at(piece), { losses: this.#losses });
    return this.#totalLoss(piece.n);
  }

  /** n x H. */
  async encode(piece: Piece): Promise<Float32Array> {
    return (await this.#forward(piece)).codes;
  }

  async parameters(): Promise<Parameters> {
    const { U, b, W } = this.#layers;
    const { V, H } = this.#shape;
    const [units, inputs] = [this.#units, this.#inputs];
    return {
      V,
      H,
      units,
      inputs,
      U: await U.values.read(),
      b: await b.values.read(),
      W: await W.values.read(),
    };
  }

  /** Leaves the codes in E; returns what went into the units and what came out, n x H. */
  async #forward({ inputs: X, n }: Piece): Promise<{ inputs: Float32Array; codes: Float32Array }> {
    const { H } = this.#shape;
    await this.#engine.project(X, this.#layers.U.values, H, this.#A);
    const inputs = await this.#A.read(0, n * H);
    const b = await this.#layers.b.values.read();
    for (let i = 0, k = 0; i < n; i++) for (let h = 0; h < H; h++, k++) inputs[k] += b[h];
    const codes = inputs.slice();
    units[this.#units].encode(codes);
    this.#E.write(withBias(codes, H, H + 1));
    return { inputs, codes };
  }

  #at({ targets }: Piece) {
    return { block: targets, shape: this.#shape, W: this.#layers.W.values, E: this.#E, loss: crossEntropy };
  }

  async #totalLoss(n: number): Promise<number> {
    return sum(await this.#losses.read(0, n));
  }
}

/** Adam's step length and decays. */
export interface AdamSettings {
  readonly rate: number;
  readonly beta1: number;
  readonly beta2: number;
  readonly epsilon: number;
}

interface Layer {
  readonly values: Floats;
  readonly gradient: Floats;
  readonly moments: Moments;
  readonly width: number;
}

function layer(engine: Engine, start: Float32Array, width: number): Layer {
  const floats = () => engine.floats(start.length);
  return {
    values: floatsOf(engine, start),
    gradient: floats(),
    moments: { first: floats(), second: floats() },
    width,
  };
}

/**
 * Entries 0 and 1 in place of -1 and 1: of bits, only the ones are known, and what is not known counts as 0.
 */
function unitInputs(rows: Rows): Rows {
  if (rows.kind === 'real') return { ...rows, values: rows.values.map((x) => (1 + x) / 2) };
  const { bits, known } = rows;
  return { ...rows, known: known ? bits.map((byte, k) => byte & known[k]) : bits };
}

function columnSums(values: Float32Array, width: number): Float64Array {
  const sums = new Float64Array(width);
  for (let k = 0; k < values.length; ) for (let h = 0; h < width; h++, k++) sums[h] += values[k];
  return sums;
}

import { defaultEngine } from '../engine/default.ts';
import type { Block, Engine } from '../engine/engine.ts';
import { asRows, type RowsInput } from '../rows/input.ts';
import type { Rows } from '../rows/rows.ts';
import type { FitOptions } from '../training/options.ts';
import {
  asBlock,
  decodeLayer,
  encodeTop,
  fitLayer,
  type Layer,
  layerLosses,
  settleBetween,
} from '../training/stack.ts';
import { fit } from './fit.ts';
import { readStack, writeStack } from './stack-file.ts';

export interface StackOptions extends Pick<FitOptions, 'epochs' | 'ridge' | 'seed' | 'engine' | 'signal'> {
  /** Units of each layer, from the one beside the rows to the topmost, whose activations are the codes. */
  readonly layers: readonly number[];
  /** Rounds of backward and forward passes after the layers were learned one by one. Default 20. */
  readonly rounds?: number;
  /** How much a layer's activations are bound to what the layer above decodes to, at the end. Default 256. */
  readonly coupling?: number;
  readonly onRound?: (round: StackRound) => void;
}

/** What a round of passes came to, on the training rows. */
export interface StackRound {
  readonly round: number;
  readonly coupling: number;
  /** Mean loss of rows decoded from the topmost codes alone, per row. */
  readonly loss: number;
}

/** What a stack is made of: everything that its file holds. */
export interface StackParts {
  readonly V: number;
  readonly layers: readonly { readonly H: number; readonly W: Float32Array }[];
  readonly coupling: number;
  readonly training: {
    readonly n: number;
    readonly loss: number;
    readonly seconds: number;
    readonly history: readonly StackRound[];
  };
}

export interface StackEncoded {
  readonly n: number;
  readonly H: number;
  /** Activations of the topmost layer, n x H, in [-1, 1]. */
  readonly codes: Float32Array;
  /** Loss of each row decoded from its code alone. */
  readonly losses: Float32Array;
}

/**
 * Several layers, each decoding to the activations of the one below, learned by alternating forward and backward
 * passes of convex problems (see `training/stack.ts`). Rows are decoded from the topmost codes alone. Unlike a model
 * of one layer, codes are the end of an alternation, not the solution of one convex problem: they have no certificate.
 */
export class Stack implements StackParts {
  readonly V: number;
  readonly layers: StackParts['layers'];
  readonly coupling: number;
  readonly training: StackParts['training'];

  constructor(parts: StackParts) {
    this.V = parts.V;
    this.layers = parts.layers;
    this.coupling = parts.coupling;
    this.training = parts.training;
  }

  /** Numbers in a code. */
  get H(): number {
    return this.layers[this.layers.length - 1].H;
  }

  async encode(
    rows: RowsInput,
    options: { readonly rounds?: number; readonly engine?: Engine } = {},
  ): Promise<StackEncoded> {
    const checked = asRows(rows);
    if (checked.V !== this.V) {
      throw new RangeError(
        `encode: the stack was fitted to rows of ${this.V} columns, these have ${checked.V}`,
      );
    }
    const engine = options.engine ?? (await defaultEngine());
    const layers = openLayers(engine, this);
    const block = engine.load(checked);
    let A = await climb(engine, layers, block);
    const rounds = options.rounds ?? ENCODE_ROUNDS;
    for (let round = 1; round <= rounds; round++) {
      A = await backward(engine, layers, block, A, this.coupling ** (round / rounds));
    }
    const codes = A[A.length - 1];
    const losses = await deepLosses(engine, layers, block, codes);
    block.free();
    for (const { W } of layers) W.free();
    return { n: checked.n, H: this.H, codes, losses };
  }

  /** What codes (n x H) decode to, layer by layer: reconstructions in [-1, 1], n x V. */
  async decode(codes: Float32Array, options: { readonly engine?: Engine } = {}): Promise<Float32Array> {
    if (codes.length === 0 || codes.length % this.H !== 0) {
      throw new RangeError(`decode: expected n x H = n x ${this.H} numbers, got ${codes.length}`);
    }
    const engine = options.engine ?? (await defaultEngine());
    const layers = openLayers(engine, this);
    let A = codes;
    for (const layer of [...layers].reverse()) A = await decodeLayer(engine, layer, A, 'transfer');
    for (const { W } of layers) W.free();
    return A;
  }

  /** Mean loss of rows decoded from their codes alone. */
  async loss(rows: RowsInput, options: { readonly engine?: Engine } = {}): Promise<number> {
    const { losses } = await this.encode(rows, options);
    return mean(losses);
  }

  /** The stack as the bytes of one safetensors file. */
  save(): Uint8Array {
    return writeStack(this);
  }

  static load(bytes: Uint8Array, options: { readonly name?: string } = {}): Stack {
    return new Stack(readStack(bytes, options.name ?? 'stack'));
  }
}

/** Learns a stack: every layer by itself from below, then rounds of passes in which the coupling grows. */
export async function fitStack(input: RowsInput, options: StackOptions): Promise<Stack> {
  const { layers: sizes, rounds = 20, coupling: strongest = 256 } = options;
  if (sizes.length < 2 || sizes.some((H) => !Number.isInteger(H) || H < 1)) {
    throw new RangeError(
      `fitStack: layers must be two or more whole numbers, got ${sizes.join(', ') || 'none'}`,
    );
  }
  const began = performance.now();
  const rows = asRows(input);
  const engine = options.engine ?? (await defaultEngine());
  const { layers, A: start } = await learnGreedily(engine, rows, options);
  const block = engine.load(rows);
  const history: StackRound[] = [];
  const ridge = typeof options.ridge === 'number' ? options.ridge : 0.6 / rows.n;
  let A = start;
  let coupling = 1;
  const report = async (round: number) => {
    const loss = mean(await deepLosses(engine, layers, block, A[A.length - 1]));
    history.push({ round, coupling, loss });
    options.onRound?.(history[history.length - 1]);
  };
  await report(0);
  for (let round = 1; round <= rounds && !options.signal?.aborted; round++) {
    coupling = strongest ** (round / rounds);
    A = await backward(engine, layers, block, A, coupling);
    await forward(engine, layers, block, A, ridge);
    await report(round);
  }
  const training = { n: rows.n, loss: history[history.length - 1].loss, history };
  const parts = {
    V: rows.V,
    layers: layers.map(({ shape, W }) => ({ H: shape.H, W: W.read() })),
    coupling,
    training: { ...training, seconds: (performance.now() - began) / 1000 },
  };
  block.free();
  for (const { W } of layers) W.free();
  return new Stack(parts);
}

/** Steps on activations and on weights in a pass: each is warm from the one before. */
const BETWEEN_STEPS = 10;
const TOP_STEPS = 10;
const WEIGHT_STEPS = 6;
/** Backward passes that encode a row, with the coupling growing as it did in learning. */
const ENCODE_ROUNDS = 15;

/** Each layer fitted to the codes of the one below, stretched over most of [-1, 1]. */
async function learnGreedily(engine: Engine, rows: Rows, options: StackOptions) {
  const { epochs, ridge, seed } = options;
  const layers: Layer[] = [];
  const A: Float32Array[] = [];
  let below = rows;
  for (const H of options.layers) {
    const model = await fit(below, { H, epochs, ridge, seed, engine, certify: false });
    const codes = model.trainingCodes!;
    const most = codes.reduce((largest, e) => Math.max(largest, Math.abs(e)), 1e-6);
    const stretch = REACH / most;
    const W = engine.floats(model.W.length);
    W.write(model.W.map((w, k) => (k % (H + 1) < H ? w / stretch : w)));
    layers.push({ shape: { V: below.V, H, bias: true }, W });
    const values = codes.map((e) => e * stretch);
    A.push(values);
    below = { kind: 'real', n: rows.n, V: H, values };
  }
  return { layers, A };
}

const REACH = 0.95;

/** Activations from below: every layer's codes as if there were none above. */
async function climb(engine: Engine, layers: readonly Layer[], block: Block): Promise<Float32Array[]> {
  const A: Float32Array[] = [];
  let below = block;
  for (const layer of layers) {
    const zero = new Float32Array(block.n * layer.shape.H);
    A.push(await encodeTop(engine, layer, below, zero, 2 * TOP_STEPS));
    if (below !== block) below.free();
    below = asBlock(engine, A[A.length - 1], layer.shape.H);
  }
  below.free();
  return A;
}

/** Activations given the weights, from the topmost layer down. */
async function backward(
  engine: Engine,
  layers: readonly Layer[],
  block: Block,
  A: readonly Float32Array[],
  coupling: number,
): Promise<Float32Array[]> {
  const out = [...A];
  for (let k = layers.length - 1; k >= 0; k--) {
    const below = k === 0 ? block : asBlock(engine, out[k - 1], layers[k - 1].shape.H);
    if (k === layers.length - 1) out[k] = await encodeTop(engine, layers[k], below, out[k], TOP_STEPS);
    else {
      const m = await decodeLayer(engine, layers[k + 1], out[k + 1], 'scores');
      // Between two layers of the same coupling, only the lowest layer's loss counts for 1.
      const options = { coupling: k === 0 ? coupling : 1, steps: BETWEEN_STEPS };
      out[k] = await settleBetween(engine, layers[k], below, out[k], m, options);
    }
    if (k > 0) below.free();
  }
  return out;
}

/** Weights given the activations; the lowest layer's are fitted to what it will be given, the decoded activations. */
async function forward(
  engine: Engine,
  layers: readonly Layer[],
  block: Block,
  A: readonly Float32Array[],
  ridge: number,
): Promise<void> {
  let above = A[layers.length - 1];
  for (let k = layers.length - 1; k >= 0; k--) {
    const below = k === 0 ? block : asBlock(engine, A[k - 1], layers[k - 1].shape.H);
    await fitLayer(engine, layers[k], below, above, { steps: WEIGHT_STEPS, ridge });
    above = k > 0 ? await decodeLayer(engine, layers[k], above, 'transfer') : above;
    if (k > 0) below.free();
  }
}

/** The loss of each row decoded from the topmost activations alone. */
async function deepLosses(
  engine: Engine,
  layers: readonly Layer[],
  block: Block,
  codes: Float32Array,
): Promise<Float32Array> {
  let A = codes;
  for (const layer of layers.slice(1).reverse()) A = await decodeLayer(engine, layer, A, 'transfer');
  return layerLosses(engine, layers[0], block, A);
}

function openLayers(engine: Engine, { V, layers }: StackParts): Layer[] {
  return layers.map(({ H, W: weights }, k) => {
    const W = engine.floats(weights.length);
    W.write(weights);
    return { shape: { V: k === 0 ? V : layers[k - 1].H, H, bias: true }, W };
  });
}

function mean(values: Float32Array): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

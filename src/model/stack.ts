import { type Engine, floatsOf } from '../engine/engine.ts';
import { enter, type Where, withEngine } from '../engine/scope.ts';
import { crossEntropy } from '../losses/cross-entropy.ts';
import type { ColumnGroup } from '../rows/about.ts';
import type { Bytes } from '../rows/bytes.ts';
import { type RowsInput, readSource } from '../rows/input.ts';
import type { Rows } from '../rows/rows.ts';
import type { TableSchema } from '../rows/schema.ts';
import { checksFor } from '../training/checks.ts';
import { paced } from '../training/loop/pace.ts';
import { backward, climb, deepLosses } from '../training/stack/passes.ts';
import type { StackRound } from '../training/stack/rounds.ts';
import { decodeLayer, type Layer } from '../training/stack/stack.ts';
import type { Autoencoder, EncodeOptions, EvaluateOptions, Reconstruction } from './autoencoder.ts';
import { checkCodes, codesOf } from './check-codes.ts';
import { checkRows } from './check-rows.ts';
import { refusePath } from './file/refuse-path.ts';
import { writeStack } from './file/stack.ts';
import type { ModelParts } from './parts.ts';

/** The parts of a stack: everything that its file holds. */
export interface StackParts extends Pick<ModelParts, 'V' | 'columns' | 'groups' | 'image' | 'schema'> {
  /**
   * From the layer beside the rows to the topmost; W has one row per unit of the layer below, with the bias
   * in its last column.
   */
  readonly layers: readonly { readonly H: number; readonly W: Float32Array }[];
  readonly coupling: number;
  readonly training: {
    readonly n: number;
    /** Mean loss of the training rows, decoded from the topmost codes alone. */
    readonly loss: number;
    readonly seed: number;
    readonly ridge: number;
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

/** How rows are encoded. There is no tolerance, because codes of a stack have no proof. */
export interface StackEncodeOptions extends Pick<EncodeOptions, 'engine' | 'signal' | 'onProgress'> {
  /** Backward passes, with the coupling growing as it did in learning. Default 15. */
  readonly rounds?: number;
}

/** How rows are measured. */
export type StackEvaluateOptions = StackEncodeOptions & Pick<EvaluateOptions, 'rowWeights' | 'against'>;

/**
 * Several layers, each of which decodes to the activations of the one below. They are learned by alternating
 * forward and backward passes of convex problems (see `training/stack/`). Rows are decoded from the topmost
 * codes alone. Codes have no certificate: unlike those of one layer, they are the result of an alternation
 * and not the solution of one convex problem.
 */
export class Stack implements StackParts, Autoencoder {
  declare readonly V: number;
  declare readonly layers: StackParts['layers'];
  declare readonly coupling: number;
  declare readonly training: StackParts['training'];
  // Types are written out, because StackParts['columns'] would add `undefined` under
  // exactOptionalPropertyTypes.
  declare readonly columns?: readonly string[];
  declare readonly groups?: readonly ColumnGroup[];
  declare readonly image?: { readonly height: number; readonly width: number };
  declare readonly schema?: TableSchema;
  readonly encoding = 'box';
  readonly reconstructionLoss = crossEntropy;

  constructor(parts: StackParts) {
    Object.assign(this, parts);
  }

  /** Numbers in a code. */
  get H(): number {
    return this.layers[this.layers.length - 1].H;
  }

  /** The topmost activations of each row, and its loss when it is decoded from them. */
  async encode(rows: RowsInput, options: StackEncodeOptions = {}): Promise<StackEncoded> {
    const source = await readSource(rows, this.schema, options.signal);
    const { n } = source;
    const codes = new Float32Array(n * this.H);
    const losses = new Float32Array(n);
    let done = 0;
    const report = paced(options.onProgress);
    for await (const part of this.encodeSource(source, options)) {
      codes.set(part.codes, done * this.H);
      losses.set(part.losses, done);
      done += part.n;
      report(done / n);
    }
    return { n, H: this.H, codes, losses };
  }

  /** The same piece by piece, in order, with only one piece of a source in memory. */
  async *encodeSource(
    rows: RowsInput,
    options: StackEncodeOptions = {},
  ): AsyncGenerator<StackEncoded & { rows: Rows }> {
    const { H, coupling } = this;
    const source = await readSource(rows, this.schema, options.signal);
    checkRows(this, source, 'encode');
    const { rounds = ENCODE_ROUNDS } = options;
    checksFor('encode').whole('rounds', rounds, 0);
    const { engine, release } = await enter(options);
    try {
      const layers = this.#open(engine);
      for await (const rows of source.chunks(ENCODE_ROWS)) {
        const block = engine.load(rows);
        let A = await climb(layers, block);
        for (let round = 1; round <= rounds; round++) {
          A = await backward(layers, block, A, coupling ** (round / rounds));
        }
        const codes = A[A.length - 1];
        const losses = await deepLosses(layers, block, codes);
        block.free();
        yield { n: rows.n, H, codes, losses, rows };
      }
    } finally {
      release();
    }
  }

  /** What codes (n x H) decode to, layer by layer: reconstructions in [-1, 1], n x V. */
  async decode(given: ArrayLike<number>, options: Where = {}): Promise<Float32Array> {
    const codes = codesOf(given);
    checkCodes(codes, this.H, 'decode');
    return withEngine(options, async (engine) => {
      let A = codes;
      for (const layer of this.#open(engine).reverse()) A = await decodeLayer(layer, A, 'transfer');
      return A;
    });
  }

  /** The loss of each row decoded from a given code (n x H). */
  async lossesAt(rows: Rows, codes: Float32Array, options: Where = {}): Promise<Float32Array> {
    checkCodes(codes, this.H, 'lossesAt');
    return withEngine(options, (engine) => deepLosses(this.#open(engine), engine.load(rows), codes));
  }

  /** Mean loss of rows decoded from their codes alone. */
  async loss(rows: RowsInput, options: StackEncodeOptions = {}): Promise<number> {
    return (await this.evaluate(rows, options)).loss;
  }

  /** Mean loss and wrong bits over rows or a source, each row decoded from its code alone. */
  async evaluate(rows: RowsInput, options: StackEvaluateOptions = {}): Promise<Reconstruction> {
    const { evaluateStack } = await import('./evaluate-stack.ts');
    return evaluateStack(this, await readSource(rows, this.schema, options.signal), options);
  }

  /** The stack as the bytes of one safetensors file. */
  save(...given: readonly never[]): Bytes {
    refusePath(given);
    return writeStack(this);
  }

  /** Loads the layers into an engine, whose scope frees them. */
  #open(engine: Engine): Layer[] {
    return this.layers.map(({ H, W: weights }, k) => {
      const W = floatsOf(engine, weights);
      return { engine, shape: { V: k === 0 ? this.V : this.layers[k - 1].H, H, bias: true }, W };
    });
  }
}

const ENCODE_ROUNDS = 15;

/**
 * Rows encoded at a time: fewer than with one layer, because each takes hundreds of passes instead of a few.
 */
const ENCODE_ROWS = 512;

import { floatsOf } from '../engine/engine.ts';
import { type Where, withEngine } from '../engine/scope.ts';
import { crossEntropy } from '../losses/cross-entropy.ts';
import { counted } from '../rows/counted.ts';
import { type RowsInput, readRows } from '../rows/input.ts';
import type { Rows } from '../rows/rows.ts';
import { withBias } from '../solvers/codes.ts';
import { type Inputs, Network, type Parameters, type Piece } from './network.ts';
import type { Units } from './units.ts';

/** A trained one-layer autoencoder. It never changes. */
export class OneLayerAutoencoder implements Parameters {
  declare readonly V: number;
  declare readonly H: number;
  declare readonly units: Units;
  declare readonly inputs: Inputs;
  declare readonly U: Float32Array;
  declare readonly b: Float32Array;
  declare readonly W: Float32Array;

  constructor(parameters: Parameters) {
    Object.assign(this, parameters);
  }

  /** Codes of the rows, n x H: in (0, 1), [0, infinity) or {-1, 1}, depending on the units. */
  async encode(input: RowsInput, options: Where = {}): Promise<Float32Array> {
    const rows = await readRows(input, 'rows', undefined, options.signal);
    const codes = new Float32Array(rows.n * this.H);
    await this.#through(rows, options, async (network, piece, first) => {
      codes.set(await network.encode(piece), first * this.H);
    });
    return codes;
  }

  /** Reconstructions in [-1, 1] of codes, n x V: the mean of each bit. */
  async decode(codes: Float32Array, options: Where = {}): Promise<Float32Array> {
    const { V, H } = this;
    if (codes.length % H !== 0) {
      throw new RangeError(
        `decode: expected codes of H = ${H} numbers, got ${counted(codes.length, 'number')} in all`,
      );
    }
    return withEngine(options, async (engine) => {
      const [W, E] = [this.W, withBias(codes, H, H + 1)].map((values) => floatsOf(engine, values));
      const shape = { V, H, bias: true };
      return engine.decode({ W, E, shape, loss: crossEntropy }, 'transfer');
    });
  }

  /** Mean cross-entropy of the rows, in nats per row. */
  async loss(input: RowsInput, options: Where = {}): Promise<number> {
    const rows = await readRows(input, 'rows', undefined, options.signal);
    let sum = 0;
    await this.#through(rows, options, async (network, piece) => {
      sum += await network.loss(piece);
    });
    return sum / rows.n;
  }

  async #through(
    rows: Rows,
    options: Where,
    visit: (network: Network, piece: Piece, first: number) => Promise<void>,
  ): Promise<void> {
    if (rows.V !== this.V) {
      throw new RangeError(`rows have ${counted(rows.V, 'column')}; this autoencoder learned from ${this.V}`);
    }
    await withEngine(options, async (engine) => {
      const network = new Network(engine, this, Math.min(rows.n, PIECE));
      for (let first = 0; first < rows.n; first += PIECE) {
        const piece = network.load(rows, first, Math.min(rows.n, first + PIECE));
        await visit(network, piece, first);
        piece.free();
      }
    });
  }
}

/** Rows that go through the network at a time. */
export const PIECE = 4096;

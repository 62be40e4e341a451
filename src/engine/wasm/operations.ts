import { eitherOf } from '../../rows/breath.ts';
import type { Rows } from '../../rows/rows.ts';
import type {
  AdagradOptions,
  AdamOptions,
  AnnealOptions,
  Block,
  Certificates,
  Engine,
  FlipOptions,
  Floats,
  Gradients,
  Measures,
  Moments,
  NewtonOptions,
  Place,
  Point,
  PolishOptions,
  RelaxOptions,
  Running,
  Shape,
  Side,
  Slopes,
  SolveOptions,
} from '../engine.ts';
import { HostRunning } from '../expected-loss.ts';
import { followOnHost, preconditionOnHost } from '../mean-hessian.ts';
import { adagrad } from './adagrad.ts';
import { adam } from './adam.ts';
import { anneal, enumerate, flip, relax } from './bits.ts';
import { decode } from './decode.ts';
import { gram } from './gram.ts';
import { gradients, measure } from './measure.ts';
import type { Kernels } from './module.ts';
import { newton } from './newton.ts';
import { polish } from './polish.ts';
import { correlate, project } from './products.ts';
import { slopes } from './slopes.ts';
import { solve } from './solve.ts';
import { WasmBlock, WasmFloats } from './storage.ts';
import type { Tools } from './tools.ts';
import { Turns } from './turns.ts';

/** The contract on WebAssembly kernels. Operations run one after the other, in the order of the calls. */
export class WasmEngine implements Engine {
  readonly name: string;
  readonly threads: number;
  readonly newtonian = true;
  readonly #kernels: Kernels;
  readonly #tools: Tools;
  readonly #turns: Turns;
  readonly #signal?: AbortSignal;

  constructor(name: string, kernels: Kernels, tools: Tools, turns = new Turns(), signal?: AbortSignal) {
    this.name = name;
    this.threads = tools.pool.threads;
    this.#kernels = kernels;
    this.#tools = tools;
    this.#turns = turns;
    this.#signal = signal;
  }

  get usable(): boolean {
    return !this.#turns.ended && !this.#tools.pool.failed;
  }

  until(signal: AbortSignal): Engine {
    const either = eitherOf(this.#signal, signal);
    return new WasmEngine(this.name, this.#kernels, this.#tools, this.#turns, either);
  }

  turn(): Promise<void> {
    return this.#tools.pool.breath.between(this.#signal);
  }

  floats(length: number): Floats {
    return new WasmFloats(this.#tools.memory, length);
  }

  running(length: number): Running {
    return new HostRunning(length);
  }

  load(rows: Rows): Block {
    return new WasmBlock(this.#tools.memory, rows);
  }

  solve(side: Side, at: Point, options: SolveOptions): Promise<void> {
    return this.#inTurn(() => solve(this.#tools, side, at, options));
  }

  adagrad(side: Side, at: Point, options: AdagradOptions): Promise<void> {
    return this.#inTurn(() => adagrad(this.#tools, side, at, options));
  }

  newton(side: Side, at: Point, options: NewtonOptions): Promise<void> {
    return this.#inTurn(() => newton(this.#tools, side, at, options));
  }

  slopes(side: Side, at: Point, directions?: Floats): Promise<Slopes> {
    return this.#inTurn(() => slopes(this.#tools, side, at, directions));
  }

  measure(at: Point, out: Measures): Promise<void> {
    return this.#inTurn(() => measure(this.#tools, at, out));
  }

  gradients(at: Point, out: Gradients): Promise<void> {
    return this.#inTurn(() => gradients(this.#tools, at, out));
  }

  polish(at: Point, options: PolishOptions): Promise<Certificates> {
    return this.#inTurn(() => polish(this.#tools, at, options));
  }

  flip(at: Point, options: FlipOptions): Promise<void> {
    return this.#inTurn(() => flip(this.#tools, at, options));
  }

  anneal(at: Point, options: AnnealOptions): Promise<void> {
    return this.#inTurn(() => anneal(this.#tools, at, options));
  }

  relax(at: Point, options: RelaxOptions): Promise<void> {
    return this.#inTurn(() => relax(this.#tools, at, options));
  }

  enumerate(at: Point, losses?: Floats): Promise<void> {
    return this.#inTurn(() => enumerate(this.#tools, at, losses));
  }

  decode(at: Place, what: 'scores' | 'transfer'): Promise<Float32Array> {
    return this.#inTurn(() => decode(this.#tools, at, what));
  }

  gram(A: Floats, count: number, width: number, weights?: Floats): Promise<Float64Array> {
    return this.#inTurn(() => gram(this.#tools, A, count, width, weights));
  }

  project(block: Block, A: Floats, width: number, Y: Floats): Promise<void> {
    return this.#inTurn(() => project(this.#tools, block, A, width, Y));
  }

  correlate(block: Block, Y: Floats, width: number, A: Floats): Promise<void> {
    return this.#inTurn(() => correlate(this.#tools, block, Y, width, A));
  }

  adam(at: Floats, gradient: Floats, moments: Moments, options: AdamOptions): void {
    adam(this.#tools, this.#kernels, at, gradient, moments, options);
  }

  follow(means: Running, sums: Floats, count: number, share: number): void {
    this.#tools.use(sums, 'the sums', sums.length);
    followOnHost(means, (sums as WasmFloats).copy(), count, share);
  }

  async precondition(W: Floats, shape: Shape, bends: Running, ridge: number, out: Floats): Promise<void> {
    await preconditionOnHost(this, W, shape, bends, ridge, out);
  }

  async close(): Promise<void> {
    await this.#turns.end();
    await this.#tools.pool.close();
  }

  #inTurn<T>(operation: () => Promise<T>): Promise<T> {
    const { pool, packs } = this.#tools;
    const signal = this.#signal;
    return this.#turns.take(async () => {
      pool.signal = signal;
      try {
        return await operation();
      } catch (error) {
        // Half of what an operation was to change may have changed, and nobody was told.
        packs.forget();
        throw error;
      }
    }, signal);
  }
}

import { eitherOf } from '../../rows/breath.ts';
import type { Rows } from '../../rows/rows.ts';
import type { AdamOptions, Block, Engine, Floats, Moments, OpenBlock, Running, Shape } from '../engine.ts';
import { HostRunning } from '../host-running.ts';
import { preconditionOnHost } from '../mean-hessian.ts';
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
  readonly rowsAtOnce = 4096;
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

  newtonian(): boolean {
    return true;
  }

  running(length: number): Running {
    return new HostRunning(length);
  }

  load(rows: Rows): Block {
    return WasmBlock.load(this.#tools.memory, rows);
  }

  blank(n: number, V: number): OpenBlock {
    return WasmBlock.blank(this.#tools.memory, n, V);
  }

  readonly solve = this.#queued(solve);
  readonly adagrad = this.#queued(adagrad);
  readonly newton = this.#queued(newton);
  readonly slopes = this.#queued(slopes);
  readonly measure = this.#queued(measure);
  readonly gradients = this.#queued(gradients);
  readonly polish = this.#queued(polish);
  readonly flip = this.#queued(flip);
  readonly anneal = this.#queued(anneal);
  readonly relax = this.#queued(relax);
  readonly enumerate = this.#queued(enumerate);
  readonly decode = this.#queued(decode);
  readonly gram = this.#queued(gram);
  readonly project = this.#queued(project);
  readonly correlate = this.#queued(correlate);

  adam(at: Floats, gradient: Floats, moments: Moments, options: AdamOptions): void {
    adam(this.#tools, this.#kernels, at, gradient, moments, options);
  }

  async precondition(W: Floats, shape: Shape, bends: Running, ridge: number, out: Floats): Promise<void> {
    await preconditionOnHost(this, W, shape, bends, ridge, out);
  }

  async close(): Promise<void> {
    await this.#turns.end();
    await this.#tools.pool.close();
  }

  /** The operation, done when its turn comes. */
  #queued<A extends unknown[], T>(
    operation: (tools: Tools, ...given: A) => Promise<T>,
  ): (...given: A) => Promise<T> {
    return (...given) =>
      this.#turns.take(async () => {
        const { pool, packs } = this.#tools;
        pool.signal = this.#signal;
        try {
          return await operation(this.#tools, ...given);
        } catch (error) {
          // Half of what an operation was to change may have changed, and nobody was told.
          packs.forget();
          throw error;
        }
      }, this.#signal);
  }
}

import type { Loss } from '../../losses/loss.ts';
import { Breath, eitherOf, untilAborted } from '../../rows/breath.ts';
import type { Rows } from '../../rows/rows.ts';
import type { AdamOptions, Block, Engine, Floats, Moments, Point, Running, Side } from '../engine.ts';
import type { DualMove, PolishOptions } from '../proofs.ts';
import type { WordCodes } from '../word-codes.ts';
import { anneal } from './anneal.ts';
import { bounds } from './certify.ts';
import { flip } from './flip.ts';
import { gradients, measure } from './look.ts';
import { newton, stepsAt } from './newton.ts';
import { type Processor, polish } from './polish.ts';
import { correlate, decode, gram, project } from './products.ts';
import { Rehearsal } from './rehearsal.ts';
import { relax } from './relax.ts';
import { slopes } from './slopes.ts';
import { solve } from './solve.ts';
import { adam, precondition } from './steps.ts';
import { GpuBlock, GpuFloats, GpuRunning } from './storage.ts';
import { Tools } from './tools.ts';
import { GpuWordCodes } from './word-codes.ts';

const breath = new Breath();

/**
 * The contract on WebGPU. For its caller an operation is over once it was sent: the device works in the order
 * of the calls, and only reads wait for it, or for programs that are still compiled. An abort ends that wait.
 * Operations that the device does not do are refused by name.
 */
export class GpuEngine implements Engine {
  readonly name: string;
  readonly threads = 1;
  readonly rowsAtOnce = 65_536;
  readonly littleWork = 1e8;
  readonly #tools: Tools;
  /** None in a rehearsal, which does nothing. */
  readonly #processor?: Processor;
  readonly #signal?: AbortSignal;

  constructor(tools: Tools, processor: Processor | undefined, signal?: AbortSignal) {
    this.name = tools.name;
    this.#tools = tools;
    this.#processor = processor;
    this.#signal = signal;
  }

  get usable(): boolean {
    return this.#tools.dispatcher.open.usable;
  }

  until(signal: AbortSignal): Engine {
    return new GpuEngine(this.#tools, this.#processor, eitherOf(this.#signal, signal));
  }

  newtonian(loss: Loss, H: number): boolean {
    return stepsAt(this.#tools, loss, H);
  }

  turn(): Promise<void> {
    return breath.between(this.#signal);
  }

  rehearsal(): Engine {
    const { dispatcher } = this.#tools;
    return new GpuEngine(new Tools(new Rehearsal(dispatcher)), undefined, this.#signal);
  }

  floats(length: number): Floats {
    return new GpuFloats(this.#tools.dispatcher, length, this.#signal);
  }

  running(length: number): Running {
    return new GpuRunning(this.#tools.dispatcher, length, this.#signal);
  }

  load(rows: Rows): Block {
    return new GpuBlock(this.#tools.dispatcher, rows);
  }

  readonly solve = this.#sent(solve);
  readonly adagrad = this.#refused("'adagrad', the paper's own steps");
  readonly newton = this.#sent(newton);
  readonly bounds = this.#sent(bounds);
  readonly slopes = this.#sent((tools, side: Side, at: Point, moved?: DualMove, bits?: Int32Array) =>
    slopes(tools, this.#processor, side, at, moved, bits),
  );
  readonly measure = this.#sent(measure);
  readonly gradients = this.#sent(gradients);
  readonly polish = this.#sent((tools, at: Point, options: PolishOptions) =>
    polish(tools, this.#processor, at, options),
  );
  readonly flip = this.#sent(flip);
  readonly anneal = this.#sent(anneal);
  readonly relax = this.#sent(relax);
  readonly enumerate = this.#refused("'enumerate', all codes of true bits");
  readonly decode = this.#sent(decode);
  readonly gram = this.#sent(gram);
  readonly project = this.#sent(project);
  readonly correlate = this.#sent(correlate);
  readonly precondition = this.#sent(precondition);

  adam(at: Floats, gradient: Floats, moments: Moments, options: AdamOptions): void {
    adam(this.#tools, at, gradient, moments, options);
  }

  wordCodes(vectors: Float32Array, V: number, halves: number): WordCodes {
    return new GpuWordCodes(this.#tools.dispatcher, vectors, V, halves, this.#signal);
  }

  async close(): Promise<void> {
    this.#tools.dispatcher.open.close();
    await this.#processor?.close();
  }

  /** The operation as a method, which gives the event loop a turn first. */
  #sent<A extends unknown[], T>(
    operation: (tools: Tools, ...given: A) => T | Promise<T>,
  ): (...given: A) => Promise<T> {
    return async (...given) => {
      await breath.between(this.#signal);
      const done = operation(this.#tools, ...given);
      return done instanceof Promise ? untilAborted(done, this.#signal) : done;
    };
  }

  #refused(what: string): () => Promise<never> {
    return async () => this.#tools.refuse(what);
  }
}

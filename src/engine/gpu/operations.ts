import { Breath, eitherOf } from '../../rows/breath.ts';
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
import { gradients, measure } from './look.ts';
import { type Processor, polish } from './polish.ts';
import { correlate, decode, gram, project } from './products.ts';
import { solve } from './solve.ts';
import { adam, follow, precondition } from './steps.ts';
import { GpuBlock, GpuFloats, GpuRunning } from './storage.ts';
import type { Tools } from './tools.ts';

const breath = new Breath();

/**
 * The contract on WebGPU. An operation is over, for its caller, when it was sent: the device does them in their order, and
 * whoever reads waits for it. What the device does not do is refused by name.
 */
export class GpuEngine implements Engine {
  readonly name: string;
  readonly threads = 1;
  readonly newtonian = false;
  readonly #tools: Tools;
  readonly #processor: Processor;
  readonly #signal?: AbortSignal;

  constructor(tools: Tools, processor: Processor, signal?: AbortSignal) {
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

  turn(): Promise<void> {
    return breath.between(this.#signal);
  }

  floats(length: number): Floats {
    return new GpuFloats(this.#tools.dispatcher, length);
  }

  running(length: number): Running {
    return new GpuRunning(this.#tools.dispatcher, length);
  }

  load(rows: Rows): Block {
    return new GpuBlock(this.#tools.dispatcher, rows);
  }

  solve(side: Side, at: Point, options: SolveOptions): Promise<void> {
    return this.#send(() => solve(this.#tools, side, at, options));
  }

  async adagrad(_side: Side, _at: Point, _options: AdagradOptions): Promise<void> {
    this.#tools.refuse("'adagrad', the paper's own steps");
  }

  async newton(_side: Side, _at: Point, _options: NewtonOptions): Promise<void> {
    this.#tools.refuse("'newton', Newton's steps on each item");
  }

  async slopes(_side: Side, _at: Point, _directions?: Floats): Promise<Slopes> {
    return this.#tools.refuse("'slopes', gradients in float64");
  }

  measure(at: Point, out: Measures): Promise<void> {
    return this.#send(() => measure(this.#tools, at, out));
  }

  gradients(at: Point, out: Gradients): Promise<void> {
    return this.#send(() => gradients(this.#tools, at, out));
  }

  polish(at: Point, options: PolishOptions): Promise<Certificates> {
    return this.#send(() => polish(this.#tools, this.#processor, at, options));
  }

  async flip(_at: Point, _options: FlipOptions): Promise<void> {
    this.#tools.refuse("'flip', codes of true bits");
  }

  async anneal(_at: Point, _options: AnnealOptions): Promise<void> {
    this.#tools.refuse("'anneal', codes of true bits");
  }

  async relax(_at: Point, _options: RelaxOptions): Promise<void> {
    this.#tools.refuse("'relax', codes of true bits");
  }

  async enumerate(_at: Point, _losses?: Floats): Promise<void> {
    this.#tools.refuse("'enumerate', all codes of true bits");
  }

  decode(at: Place, what: 'scores' | 'transfer'): Promise<Float32Array> {
    return this.#send(() => decode(this.#tools, at, what));
  }

  gram(A: Floats, count: number, width: number, weights?: Floats): Promise<Float64Array> {
    return this.#send(() => gram(this.#tools, A, count, width, weights));
  }

  project(block: Block, A: Floats, width: number, Y: Floats): Promise<void> {
    return this.#send(() => project(this.#tools, block, A, width, Y));
  }

  correlate(block: Block, Y: Floats, width: number, A: Floats): Promise<void> {
    return this.#send(() => correlate(this.#tools, block, Y, width, A));
  }

  adam(at: Floats, gradient: Floats, moments: Moments, options: AdamOptions): void {
    adam(this.#tools, at, gradient, moments, options);
  }

  follow(means: Running, sums: Floats, count: number, share: number): void {
    follow(this.#tools, means, sums, count, share);
  }

  precondition(W: Floats, shape: Shape, bends: Running, ridge: number, out: Floats): Promise<void> {
    return this.#send(() => precondition(this.#tools, W, shape, bends, ridge, out));
  }

  async close(): Promise<void> {
    this.#tools.dispatcher.open.close();
    await this.#processor.close();
  }

  async #send<T>(operation: () => T | Promise<T>): Promise<T> {
    await breath.between(this.#signal);
    return operation();
  }
}

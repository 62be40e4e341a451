import type { SetName } from '../../encodings/encoding.ts';
import type { Loss } from '../../losses/loss.ts';
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
  Point,
  PolishOptions,
  Range,
  RelaxOptions,
  Shape,
  Side,
  SolveOptions,
  Sums,
} from '../engine.ts';
import { constants } from './binary.generated.ts';
import { annealWork, enumerateWork, flipWork, relaxWork } from './bits.ts';
import type { JobFields } from './job.ts';
import type { Memory } from './memory.ts';
import type { Kernels } from './module.ts';
import { Packs } from './packs.ts';
import { type OpenPoint, openPoint, rowFields, widthOf } from './point.ts';
import { polishPlainly } from './polish.ts';
import type { Pool } from './pool.ts';
import { type SparseMatrix, sparseMatrix } from './sparse.ts';
import { useBlock, useFloats, WasmBlock, WasmFloats } from './storage.ts';
import { LossTables } from './tables.ts';

/** Slots that sums over rows are dealt to: fixed, so that the number of threads does not matter. */
const SLOTS = 8;
/** Floats that all slots together may take before there are fewer of them. */
const SLOT_FLOATS = 1 << 26;
/** Bytes of scores and reconstructions that `decode` holds at a time. */
const DECODED = 1 << 24;
/** Rows from which on `decode` looks whether W is sparse. */
const MANY_ROWS = 32;

/** The contract on WebAssembly kernels. Operations run one after the other, in the order of the calls. */
export class WasmEngine implements Engine {
  readonly name: string;
  readonly threads: number;
  readonly #memory: Memory;
  readonly #kernels: Kernels;
  readonly #pool: Pool;
  readonly #packs: Packs;
  readonly #losses: LossTables;
  #last: Promise<unknown> = Promise.resolve();

  constructor(name: string, memory: Memory, kernels: Kernels, pool: Pool) {
    this.name = name;
    this.threads = pool.threads;
    this.#memory = memory;
    this.#kernels = kernels;
    this.#pool = pool;
    this.#packs = new Packs(memory, pool);
    this.#losses = new LossTables(memory);
  }

  floats(length: number): Floats {
    return new WasmFloats(this.#memory, length);
  }

  load(rows: Rows): Block {
    return new WasmBlock(this.#memory, rows);
  }

  solve(side: Side, at: Point, options: SolveOptions): Promise<void> {
    return this.#inTurn(async () => {
      const point = this.#open(side, at);
      const { free, K, width, count } = point;
      const { inverseHessian, sums } = options;
      const radius = options.radius ?? Number.POSITIVE_INFINITY;
      this.#use(inverseHessian, 'the numbers of inverseHessian', free * free);
      if (sums && side !== 'codes') throw new Error("engine: sums are made on side 'codes' only");
      if (options.set && side !== 'codes') throw new Error("engine: sets confine side 'codes' only");
      const losses = this.#optional(options.losses, 'losses', point.items);
      const packed = await this.#packs.provide(point.held, 'forward', 'back');
      const square = { floats: inverseHessian as WasmFloats, first: 0, K: free, width: free };
      const precondition = (await this.#packs.provide(square, 'forward')).forward;
      const fields: JobFields = {
        ...point.fields,
        forward: packed.forward,
        back: packed.back,
        precondition,
        steps: options.steps,
        tolerance: options.tolerance,
        ridge: options.ridge,
        ...{ radius, set: setNumber(options.set) },
        stepScale: radius < Number.POSITIVE_INFINITY || options.set ? meanDiagonal(inverseHessian, free) : 0,
        losses,
      };
      const cost = count * K * width * 2 * (options.steps + 1);
      if (sums) await this.#withSums(constants.SOLVE_SUMS, fields, point, sums, cost);
      else await this.#panels({ ...fields, kernel: constants.SOLVE }, count, cost);
      touch(point.moved, options.losses);
    });
  }

  adagrad(side: Side, at: Point, options: AdagradOptions): Promise<void> {
    return this.#inTurn(async () => {
      const point = this.#open(side, at);
      const { K, width, count } = point;
      const accumulators = options.accumulators as WasmFloats;
      const first = point.firstRow * width;
      this.#use(accumulators, 'accumulators', first + point.items * width);
      const packed = await this.#packs.provide(point.held, 'forward', 'back');
      const fields: JobFields = {
        ...point.fields,
        ...{ forward: packed.forward, back: packed.back },
        kernel: constants.ADAGRAD,
        half: 2 * (point.fields.half as number),
        steps: options.steps,
        rate: options.rate,
        radius: options.radius ?? Number.POSITIVE_INFINITY,
        accumulators: accumulators.at + 4 * first,
      };
      await this.#panels(fields, count, count * K * width * 2 * options.steps);
      touch(point.moved, accumulators);
    });
  }

  measure(at: Point, out: Measures): Promise<void> {
    return this.#inTurn(async () => {
      const point = this.#open('codes', at);
      const { K, width, count, items } = point;
      const losses = this.#optional(out.losses, 'losses', items);
      const gaps = this.#optional(out.gaps, 'gaps', items);
      const packed = await this.#packs.provide(point.held, 'forward', 'back');
      const fields: JobFields = {
        ...point.fields,
        ...{ kernel: constants.MEASURE, forward: packed.forward, back: packed.back, losses, gaps },
        radius: out.radius ?? 1,
      };
      await this.#panels(fields, count, count * K * width * 2);
      touch(out.losses, out.gaps);
    });
  }

  gradients(at: Point, out: Gradients): Promise<void> {
    return this.#inTurn(async () => {
      const point = this.#open('codes', at);
      const { V, width, count, items } = point;
      const { forward, back } = await this.#packs.provide(point.held, 'forward', 'back');
      const fields: JobFields = {
        ...{ ...point.fields, forward, back },
        losses: this.#optional(out.losses, 'losses', items),
        out: this.#optional(out.codes, 'the gradients of codes', items * width),
      };
      const sums = { gradient: out.weights };
      await this.#withSums(constants.GRADIENT_SUMS, fields, point, sums, count * V * width * 3);
      touch(out.codes, out.losses);
    });
  }

  polish(at: Point, options: PolishOptions): Promise<Certificates> {
    return this.#inTurn(async () => {
      const point = this.#open('codes', at);
      const { width, V, items, start, count } = point;
      const rows = options.rows ?? Int32Array.from({ length: count }, (_, i) => start + i);
      for (const row of rows) {
        if (row < 0 || row >= items) throw new Error(`engine: polish row ${row}; there are ${items} rows`);
      }
      touch(point.moved);
      if (at.loss.name !== 'cross-entropy') return polishPlainly(this.#memory, at, options, rows);
      const packed = await this.#packs.provide(point.held, 'forward', 'back');
      const list = options.rows ? this.#memory.allocate(4 * rows.length, 'a list of rows') : 0;
      const out = this.#memory.allocate(16 * rows.length, 'certificates');
      try {
        if (list) this.#memory.integers(list, rows.length).set(rows);
        const { steps, tolerance, radius } = options;
        const fields: JobFields = {
          ...point.fields,
          kernel: constants.POLISH,
          // Neighbouring rows are worked on in panels, those of a list one by one.
          units: list ? rows.length : Math.ceil(rows.length / 8),
          ...{ list, out, forward: packed.forward, back: packed.back },
          ...{ steps, tolerance, radius, tolerance64: tolerance, radius64: radius },
          set: setNumber(options.set),
        };
        await this.#pool.run(fields, rows.length * V * width * (width + 8));
        const results = this.#memory.doubles(out, 2 * rows.length);
        return {
          losses: Float64Array.from(rows, (_, i) => results[2 * i]),
          gaps: Float64Array.from(rows, (_, i) => results[2 * i + 1]),
        };
      } finally {
        this.#memory.free(list);
        this.#memory.free(out);
      }
    });
  }

  flip(at: Point, options: FlipOptions): Promise<void> {
    return this.#inTurn(async () => {
      const point = this.#open('codes', at);
      const { fields, cost } = flipWork(this.#memory, point, options);
      const { forward, columns } = await this.#packs.provide(point.held, 'forward', 'columns');
      const job: JobFields = { ...point.fields, ...fields, forward, columns };
      if (options.sums) await this.#withSums(constants.FLIP_SUMS, job, point, options.sums, cost);
      else await this.#panels({ ...job, kernel: constants.FLIP }, point.count, cost);
      touch(point.moved, options.losses);
    });
  }

  anneal(at: Point, options: AnnealOptions): Promise<void> {
    return this.#inTurn(async () => {
      const point = this.#open('codes', at);
      const { fields, cost } = annealWork(this.#memory, point, options);
      const { forward, back, columns } = await this.#packs.provide(point.held, 'forward', 'back', 'columns');
      const job = { ...point.fields, ...fields, kernel: constants.ANNEAL, forward, back, columns };
      await this.#panels(job, point.count, cost);
      touch(point.moved, options.losses);
    });
  }

  relax(at: Point, options: RelaxOptions): Promise<void> {
    return this.#inTurn(async () => {
      const point = this.#open('codes', at);
      const { fields, cost } = relaxWork(this.#memory, point, options);
      const { forward, back } = await this.#packs.provide(point.held, 'forward', 'back');
      const job = { ...point.fields, ...fields, forward, back };
      await this.#withSums(constants.RELAX_SUMS, job, point, options.sums, cost);
      touch(point.moved, options.losses);
    });
  }

  enumerate(at: Point, losses?: Floats): Promise<void> {
    return this.#inTurn(async () => {
      const point = this.#open('codes', at);
      const { fields, cost } = enumerateWork(this.#memory, point, losses);
      const { forward, columns } = await this.#packs.provide(point.held, 'forward', 'columns');
      const job = { ...point.fields, ...fields, kernel: constants.ENUMERATE, forward, columns };
      await this.#panels(job, point.count, cost);
      touch(point.moved, losses);
    });
  }

  decode(
    W: Floats,
    E: Floats,
    shape: Shape,
    range: Range,
    what: 'scores' | 'transfer',
    loss: Loss,
  ): Promise<Float32Array> {
    return this.#inTurn(async () => {
      const { V } = shape;
      const width = widthOf(shape);
      this.#use(W, 'the numbers of W', V * width);
      this.#use(E, 'the numbers of E', range.end * width);
      const held = { floats: W as WasmFloats, first: 0, K: V, width };
      const result = new Float32Array((range.end - range.start) * V);
      const rows = Math.max(8, Math.floor(DECODED / (4 * V) / 8) * 8);
      const room = 4 * V * Math.min(rows, range.end - range.start);
      const out = this.#memory.allocate(room, 'decoded rows');
      let sparse: SparseMatrix | undefined;
      try {
        // Looking for zeros costs about as much as decoding a row.
        const worthwhile = range.end - range.start >= MANY_ROWS;
        if (worthwhile) sparse = sparseMatrix(this.#memory, held.floats.at, V, width);
        const factor = sparse ?? { forward: (await this.#packs.provide(held, 'forward')).forward };
        for (let start = range.start; start < range.end; start += rows) {
          const end = Math.min(range.end, start + rows);
          const fields: JobFields = {
            ...this.#losses.fields(loss),
            ...{ kernel: constants.DECODE, K: V, V, width, ...factor, start, end, out },
            Z: (E as WasmFloats).at,
            what: what === 'transfer' ? 1 : 0,
          };
          await this.#panels(fields, end - start, (end - start) * V * width);
          result.set(this.#memory.floats(out, (end - start) * V), (start - range.start) * V);
        }
      } finally {
        this.#memory.free(out);
        if (sparse) for (const at of Object.values(sparse)) this.#memory.free(at);
      }
      return result;
    });
  }

  gram(A: Floats, count: number, width: number, weights?: Floats): Promise<Float64Array> {
    return this.#inTurn(async () => {
      this.#use(A, 'the numbers of A', count * width);
      const rowWeights = this.#optional(weights, 'weights', count);
      const slots = Math.max(1, Math.min(SLOTS, Math.ceil(count / 256)));
      const fours = Math.ceil(width / 4);
      const eights = Math.ceil(width / 8);
      const slotSize = fours * eights * 32;
      const partial = this.#memory.allocate(8 * slots * slotSize, 'sums of products');
      try {
        await this.#pool.run(
          {
            ...{ kernel: constants.GRAM, units: slots, slots, slotSize, partial },
            ...{ A: (A as WasmFloats).at, rows: count, width, rowWeights },
          },
          (count * width * width) / 2,
        );
        const sums = this.#memory.doubles(partial, slots * slotSize);
        const out = new Float64Array(width * width);
        for (let i = 0; i < width; i++) {
          for (let j = i; j < width; j++) {
            const tile = (i >> 2) * eights + (j >> 3);
            let sum = 0;
            for (let s = 0; s < slots; s++) sum += sums[s * slotSize + tile * 32 + (i & 3) * 8 + (j & 7)];
            out[i * width + j] = sum;
            out[j * width + i] = sum;
          }
        }
        return out;
      } finally {
        this.#memory.free(partial);
      }
    });
  }

  project(block: Block, A: Floats, width: number, Y: Floats): Promise<void> {
    const { n, V } = block;
    return this.#product(block, constants.CODES, { K: V, items: n }, A, width, Y);
  }

  correlate(block: Block, Y: Floats, width: number, A: Floats): Promise<void> {
    const { n, V } = block;
    return this.#product(block, constants.WEIGHTS, { K: n, items: V }, Y, width, A);
  }

  adam(at: Floats, gradient: Floats, moments: Moments, options: AdamOptions): void {
    const { width, beta1, beta2, step } = options;
    const { length } = at;
    if (length % width !== 0) {
      throw new Error(`engine: adam on ${length} numbers; expected rows of width ${width}`);
    }
    this.#kernels.adam(
      this.#use(at, 'the numbers to move', length),
      this.#use(gradient, 'the numbers of the gradient', length),
      this.#use(moments.first, 'the first moments', length),
      this.#use(moments.second, 'the second moments', length),
      length / width,
      width,
      options.free,
      options.scale,
      options.ridge,
      this.#optional(options.prices, 'the prices', length),
      beta1,
      beta2,
      options.rate,
      1 / (1 - beta1 ** step),
      1 / (1 - beta2 ** step),
      options.epsilon,
    );
    touch(at, moments.first, moments.second);
  }

  async close(): Promise<void> {
    await this.#last.catch(() => {});
    await this.#pool.close();
  }

  /** Operations wait for the one before, whether or not the caller did. */
  #inTurn<T>(operation: () => Promise<T>): Promise<T> {
    const result = this.#last.then(operation, operation);
    this.#last = result.catch(() => {});
    return result;
  }

  #panels(fields: JobFields, items: number, cost: number): Promise<void> {
    return this.#pool.run({ ...fields, units: Math.ceil(items / 8) }, cost);
  }

  /** Runs a kernel that goes through chunks of rows by slots, then adds up the slots. */
  async #withSums(
    kernel: number,
    fields: JobFields,
    point: OpenPoint,
    sums: Pick<Sums, 'gradient'> & Partial<Sums>,
    cost: number,
  ): Promise<void> {
    const { V, width, count } = point;
    const gradient = this.#use(sums.gradient, 'the sums of the gradient', V * width);
    const curvature = this.#optional(sums.curvature, 'the sums of the curvature', V);
    const chunk = Math.max(8, Math.min(64, Math.floor(65536 / V / 8) * 8));
    // Tiles of 4 x 8 for the gradient, then the curvatures; see src/kernels/sums.ts.
    const bits = 4 * Math.ceil(V / 4);
    const slotSize = 16 * Math.ceil((bits * 8 * Math.ceil(width / 8) + bits) / 16);
    const most = Math.max(1, Math.min(SLOTS, Math.floor(SLOT_FLOATS / slotSize)));
    const slots = Math.max(1, Math.min(most, Math.ceil(count / chunk)));
    const partial = this.#memory.allocate(4 * slots * slotSize, 'sums over rows');
    try {
      const slotted = { ...fields, chunk, slots, slotSize, partial, gradient, curvature };
      await this.#pool.run({ ...slotted, kernel, units: slots }, cost);
      const units = Math.ceil(V / 4);
      await this.#pool.run({ ...slotted, kernel: constants.REDUCE, units }, slots * V * width);
    } finally {
      this.#memory.free(partial);
    }
    touch(sums.gradient, sums.curvature);
  }

  #product(
    block: Block,
    side: number,
    shape: { readonly K: number; readonly items: number },
    A: Floats,
    width: number,
    out: Floats,
  ): Promise<void> {
    return this.#inTurn(async () => {
      const { K, items } = shape;
      this.#use(A, 'the numbers of the factor', K * width);
      const to = this.#use(out, 'the numbers of the product', items * width);
      const { back } = await this.#packs.provide({ floats: A as WasmFloats, first: 0, K, width }, 'back');
      const rows = rowFields(useBlock(this.#memory, block));
      const fields: JobFields = {
        ...{ ...rows, kernel: constants.PROJECT, side, K, width, back, start: 0, end: items, out: to },
        ...{ half: 1, weighted: rows.missing },
      };
      await this.#panels(fields, items, items * K * width);
      touch(out);
    });
  }

  #open(side: Side, at: Point): OpenPoint {
    return openPoint(this.#memory, this.#losses, side, at);
  }

  #use(floats: Floats, name: string, length: number): number {
    return useFloats(this.#memory, floats, name, length);
  }

  #optional(floats: Floats | undefined, name: string, length: number): number {
    return floats ? this.#use(floats, name, length) : 0;
  }
}

/** How the kernels call a set; 0 is the box. */
function setNumber(set: SetName | undefined): number {
  const numbers = {
    nonnegative: constants.NONNEGATIVE,
    simplex: constants.SIMPLEX,
    ball: constants.BALL,
  };
  return set ? numbers[set] : 0;
}

function meanDiagonal(square: Floats, size: number): number {
  const values = square.read();
  let sum = 0;
  for (let i = 0; i < size; i++) sum += values[i * size + i];
  return sum / Math.max(1, size);
}

/** Says that numbers were changed by a kernel. */
function touch(...changed: (Floats | undefined)[]): void {
  for (const floats of changed) if (floats instanceof WasmFloats) floats.version++;
}

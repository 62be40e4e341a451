import { checked, type PackedCodes, reorderCodes } from '../bits/pack.ts';
import type { Memory } from '../engine/wasm/memory.ts';
import { Turns } from '../engine/wasm/turns.ts';
import { counted } from '../rows/counted.ts';
import { rowBytes } from '../rows/rows.ts';
import { jobBytes, writeJob } from './job.ts';
import { openKernels } from './open.ts';
import type { SearchOptions } from './search.ts';
import { HALF, type Tables } from './tables.ts';
import type { Threads } from './threads.ts';

/** What is found, query after query: numbers of codes, from 0, and what they cost, the least first. */
export interface Cheapest {
  /** Results per query: what was asked for, or all codes that may be found where there are fewer. */
  readonly k: number;
  readonly indices: Uint32Array;
  readonly costs: Float32Array;
}

/**
 * Exact search by cost: that of a code is its constant plus one number from the query's table for each half
 * byte. What is found is what adding up all of them in float32 would find; among equal costs the lower number
 * comes first. A constant is kept in 15 bits between the least and the largest of them.
 */
export async function openScores(
  codes: PackedCodes,
  constants: Float32Array,
  options: SearchOptions = {},
): Promise<CodeScores> {
  if (constants.length !== codes.n) {
    throw new RangeError(
      `constants: found ${constants.length}, expected one for each of ${counted(codes.n, 'code')}`,
    );
  }
  checked(codes);
  const { memory, threads } = await openKernels(options);
  return new CodeScores(codes, constants, memory, threads);
}

/**
 * Codes and constants in the kernels' memory, 10 bytes for a code of 64 bits. Searches wait for one another.
 */
export class CodeScores {
  readonly n: number;
  readonly H: number;
  readonly #bytes: number;
  readonly #memory: Memory;
  readonly #threads: Threads;
  readonly #codes: number;
  readonly #constants: number;
  /** What the constants start at, and what one step of them stands for. */
  readonly #least: number;
  readonly #unit: number;
  readonly #job: number;
  readonly #turns = new Turns();

  /** Made by `openScores`. */
  constructor(codes: PackedCodes, constants: Float32Array, memory: Memory, threads: Threads) {
    this.n = codes.n;
    this.H = codes.H;
    this.#bytes = Math.max(1, rowBytes(codes.H));
    this.#memory = memory;
    this.#threads = threads;
    const room = Math.ceil(codes.n / BLOCK) * BLOCK;
    this.#job = memory.allocate(jobBytes, 'the description of a search');
    this.#codes = memory.allocate(room * this.#bytes, 'the codes');
    this.#constants = memory.allocate(2 * room, 'the constants of the codes');
    this.#copy(codes.order === 'lsb' ? codes : reorderCodes(codes, 'lsb'));
    const { least, unit } = rangeOf(constants);
    this.#least = least;
    this.#unit = unit;
    const steps = new Uint16Array(memory.memory.buffer, this.#constants, codes.n);
    for (let i = 0; i < codes.n; i++) steps[i] = unit === 0 ? 0 : Math.round((constants[i] - least) / unit);
  }

  /** The constant of a code, as it is kept. */
  constant(code: number): number {
    const [steps] = new Uint16Array(this.#memory.memory.buffer, this.#constants + 2 * code, 1);
    return Math.fround(this.#least + Math.fround(this.#unit * steps));
  }

  /**
   * The k codes of least cost for each query; `allowed` has a bit (lsb first) for each code that may be
   * found.
   */
  async nearest(queries: Tables, k: number, allowed?: Uint8Array): Promise<Cheapest> {
    if (this.#turns.ended) throw new Error('search: it is already closed');
    if (!(Number.isInteger(k) && k >= 1)) {
      throw new RangeError(`k: found ${k}, expected a whole number, 1 or more`);
    }
    if (queries.halves !== 2 * this.#bytes) {
      throw new RangeError(
        `queries: found tables for ${queries.halves} half bytes, the codes have ${2 * this.#bytes}`,
      );
    }
    if (allowed && allowed.length !== rowBytes(this.n)) {
      throw new RangeError(`allowed: found ${counted(allowed.length, 'byte')}, expected ${rowBytes(this.n)}`);
    }
    return this.#turns.take(async () => {
      const most = Math.min(k, allowed ? onesIn(allowed, this.n) : this.n);
      const indices = new Uint32Array(queries.n * most);
      const costs = new Float32Array(queries.n * most);
      if (most === 0) return { k: 0, indices, costs };
      const size = Math.min(BATCH, Math.max(1, Math.floor(KEYS / (most * this.#threads.count))));
      for (let first = 0; first < queries.n; first += size) {
        const end = Math.min(queries.n, first + size);
        const words = await this.#cheapest(queries, first, end, most, allowed);
        const bits = new Uint32Array(costs.buffer);
        words.forEach((key, i) => {
          const at = first * most + i;
          const cost = Number(key >> 32n);
          indices[at] = Number(key & 0xffffffffn);
          bits[at] = cost & 0x80000000 ? cost & 0x7fffffff : ~cost;
        });
      }
      return { k: most, indices, costs };
    });
  }

  /** Ends the threads. */
  async close(): Promise<void> {
    await this.#turns.end();
    await this.#threads.close();
  }

  /** The k least keys of each query, in order: cost in the order of float32, then number. */
  async #cheapest(
    { values }: Tables,
    first: number,
    end: number,
    k: number,
    allowed?: Uint8Array,
  ): Promise<BigUint64Array> {
    const count = end - first;
    const { count: threads } = this.#threads;
    const size = 2 * this.#bytes * HALF;
    const chunk = Math.max(BLOCK, Math.floor(CHUNK / this.#bytes / BLOCK) * BLOCK);
    const memory = this.#memory;
    const { allocate, free } = memory.lease();
    try {
      const keys = allocate(8 * threads * count * k, 'the results of the search');
      const tables = allocate(4 * count * size, 'the tables of the queries');
      const steps = allocate(count * size, 'the tables of the queries');
      const scales = allocate(16 * count, 'the scales of the queries');
      const mask = allowed ? allocate(4 * Math.ceil(this.n / 32), 'the codes that may be found') : 0;
      const { buffer } = memory.memory;
      memory.bytes(keys, 8 * threads * count * k).fill(255);
      if (allowed) memory.bytes(mask, allowed.length).set(allowed);
      new Float32Array(buffer, tables, count * size).set(values.subarray(first * size, end * size));
      for (let q = 0; q < count; q++) {
        const table = values.subarray((first + q) * size, (first + q + 1) * size);
        const { base, step, factor } = this.#inSteps(table, memory.bytes(steps + q * size, size));
        const scale = new DataView(buffer, scales + 16 * q, 16);
        scale.setFloat32(0, base, true);
        scale.setFloat32(4, 1 / step, true);
        scale.setInt32(8, factor, true);
      }
      writeJob(memory, this.#job, {
        ...{ n: this.n, stride: this.#bytes, chunk, units: Math.ceil(this.n / chunk), codes: this.#codes },
        ...{ queryCount: count, k, keys, tables, steps, scales, allowed: mask },
        ...{ constants: this.#constants, least: this.#least, unit: this.#unit },
      });
      await this.#threads.run(this.#job, this.n * this.#bytes * count < SMALL);
      const found = new BigUint64Array(buffer, keys, threads * count * k);
      const best = new BigUint64Array(count * k);
      for (let q = 0; q < count; q++) {
        const all = new BigUint64Array(threads * k);
        for (let thread = 0; thread < threads; thread++) {
          const at = (thread * count + q) * k;
          all.set(found.subarray(at, at + k), thread * k);
        }
        best.set(all.sort().subarray(0, k), q * k);
      }
      return best;
    } finally {
      free();
    }
  }

  /**
   * A query's table in whole steps, rounded down: their origin, their length, and the steps of a constant.
   */
  #inSteps(table: Float32Array, target: Uint8Array): { base: number; step: number; factor: number } {
    let base = this.#least;
    let widest = 0;
    const lowest = new Float64Array(table.length / HALF);
    for (let m = 0; m < lowest.length; m++) {
      const half = table.subarray(m * HALF, (m + 1) * HALF);
      lowest[m] = Math.min(...half);
      base += lowest[m];
      widest = Math.max(widest, Math.max(...half) - lowest[m]);
    }
    const most = Math.min(MOST, Math.floor(32767 / lowest.length));
    const step = Math.max(widest / most, this.#unit, LEAST_STEP) * (1 + 1e-6);
    for (let i = 0; i < table.length; i++) {
      target[i] = Math.min(most, Math.floor((table[i] - lowest[Math.floor(i / HALF)]) / step));
    }
    return { base, step, factor: Math.min(32767, Math.floor((this.#unit / step) * 32768)) };
  }

  /** Codes into the memory, in blocks of 32: their first bytes, then their second ones, and so on. */
  #copy({ n, H, bytes }: PackedCodes): void {
    const width = rowBytes(H);
    const target = this.#memory.bytes(this.#codes, Math.ceil(n / BLOCK) * BLOCK * this.#bytes);
    target.fill(0);
    const spare = H & 7 ? 255 >> (8 - (H & 7)) : 255;
    for (let i = 0; i < n; i++) {
      const at = (i - (i % BLOCK)) * this.#bytes + (i % BLOCK);
      for (let b = 0; b < width; b++) target[at + b * BLOCK] = bytes[i * width + b];
      if (width > 0) target[at + (width - 1) * BLOCK] &= spare;
    }
  }
}

/** What constants start at, and the step that takes the largest of them to 32767. */
function rangeOf(constants: Float32Array): { least: number; unit: number } {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const constant of constants) {
    least = Math.min(least, constant);
    most = Math.max(most, constant);
  }
  if (constants.length === 0) return { least: 0, unit: 0 };
  if (!(Number.isFinite(least) && Number.isFinite(most))) {
    throw new RangeError('constants: one of them is not a number; all must be finite');
  }
  return { least: Math.fround(least), unit: Math.fround(Math.max(0, most - Math.fround(least)) / 32767) };
}

function onesIn(bytes: Uint8Array, n: number): number {
  let count = 0;
  for (let i = 0; i < n; i++) count += (bytes[i >> 3] >> (i & 7)) & 1;
  return count;
}

/** Codes whose bytes lie together. */
const BLOCK = 32;
/** Steps of a half byte at most: two of them fit a byte. */
const MOST = 127;
/** Tables that are all alike have no step of their own. */
const LEAST_STEP = 1e-30;
/** Bytes of codes per unit, queries and keys per batch, and the least work for threads: as in search.ts. */
const CHUNK = 2 ** 17;
const BATCH = 64;
const KEYS = 2 ** 22;
const SMALL = 2 ** 23;

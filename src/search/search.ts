import { checked, type PackedCodes, reorderCodes } from '../bits/pack.ts';
import type { Memory } from '../engine/wasm/memory.ts';
import { Turns } from '../engine/wasm/turns.ts';
import { Breath } from '../rows/breath.ts';
import { counted } from '../rows/counted.ts';
import { rowBytes } from '../rows/rows.ts';
import { type JobFields, jobBytes, writeJob } from './job.ts';
import { openKernels, type ThreadOptions } from './open.ts';
import { keysAt, type Nearest, startsOf, takenApart, type Within } from './results.ts';
import type { Threads } from './threads.ts';

export type { Found, Nearest, Within } from './results.ts';

export interface SearchOptions extends ThreadOptions {
  /** Stops a search: `nearest` and `within` reject with its reason. */
  readonly signal?: AbortSignal;
}

type Stopping = Pick<SearchOptions, 'signal'>;

/** Exact search by Hamming distance: every code is compared with every query. */
export async function openSearch(codes: PackedCodes, options: SearchOptions = {}): Promise<CodeSearch> {
  checked(codes);
  const { memory, threads } = await openKernels(options);
  return new CodeSearch(codes, memory, threads);
}

/** The k nearest codes of each query. For searching the same codes again, `openSearch` keeps them at hand. */
export async function nearest(
  codes: PackedCodes,
  queries: PackedCodes,
  k: number,
  options: SearchOptions = {},
): Promise<Nearest> {
  return searchOnce(codes, options, (search) => search.nearest(queries, k, options));
}

/** All codes that differ from a query in at most `radius` bits. */
export async function within(
  codes: PackedCodes,
  queries: PackedCodes,
  radius: number,
  options: SearchOptions = {},
): Promise<Within> {
  return searchOnce(codes, options, (search) => search.within(queries, radius, options));
}

async function searchOnce<T>(
  codes: PackedCodes,
  options: SearchOptions,
  work: (search: CodeSearch) => Promise<T>,
): Promise<T> {
  const search = await openSearch(codes, options);
  try {
    return await work(search);
  } finally {
    await search.close();
  }
}

/**
 * Codes in the kernels' memory. Searches wait for one another, and for the end of this one `close` is called.
 */
export class CodeSearch {
  readonly n: number;
  readonly H: number;
  readonly #order: PackedCodes['order'];
  readonly #stride: number;
  readonly #memory: Memory;
  readonly #threads: Threads;
  readonly #codes: number;
  readonly #job: number;
  readonly #breath = new Breath();
  readonly #turns = new Turns();

  /** Made by `openSearch`. */
  constructor(codes: PackedCodes, memory: Memory, threads: Threads) {
    this.n = codes.n;
    this.H = codes.H;
    this.#order = codes.order;
    this.#stride = Math.max(8, Math.ceil(codes.H / 64) * 8);
    this.#memory = memory;
    this.#threads = threads;
    this.#job = memory.allocate(jobBytes, 'the description of a search');
    this.#codes = memory.allocate(codes.n * this.#stride, 'the codes');
    this.#copy(codes, 0, codes.n, this.#codes);
  }

  /** The k nearest codes of each query; all of them where there are fewer. */
  async nearest(queries: PackedCodes, k: number, { signal }: Stopping = {}): Promise<Nearest> {
    const query = this.#agreeing(queries);
    if (!(Number.isInteger(k) && k >= 1)) {
      throw new RangeError(`k: found ${k}, expected a whole number, 1 or more`);
    }
    return this.#turns.take(async () => {
      const most = Math.min(k, this.n);
      const size = Math.min(BATCH, Math.max(1, Math.floor(KEYS / (most * this.#threads.count))));
      const lists: Float64Array[] = [];
      for (let first = 0; first < query.n; first += size) {
        await this.#breath.between(signal);
        lists.push(...(await this.#nearestOf(query, first, Math.min(query.n, first + size), most)));
      }
      return { k: most, ...takenApart(lists) };
    });
  }

  /** All codes that differ from a query in at most `radius` bits. */
  async within(queries: PackedCodes, radius: number, { signal }: Stopping = {}): Promise<Within> {
    const query = this.#agreeing(queries);
    if (!(Number.isInteger(radius) && radius >= 0)) {
      throw new RangeError(`radius: found ${radius}, expected a whole number, 0 or more`);
    }
    return this.#turns.take(async () => {
      const below = Math.min(radius, this.H) + 1;
      const lists: Float64Array[] = [];
      for (let first = 0; first < query.n; first += BATCH) {
        await this.#breath.between(signal);
        lists.push(...(await this.#withinOf(query, first, Math.min(query.n, first + BATCH), below)));
      }
      return { starts: startsOf(lists.map((keys) => keys.length)), ...takenApart(lists) };
    });
  }

  /** Ends the threads. */
  async close(): Promise<void> {
    await this.#turns.end();
    await this.#threads.close();
  }

  async #nearestOf(queries: PackedCodes, first: number, end: number, k: number): Promise<Float64Array[]> {
    const count = end - first;
    const { count: threads } = this.#threads;
    const keys = this.#memory.allocate(8 * threads * count * k, 'the results of the search');
    try {
      this.#memory.bytes(keys, 8 * threads * count * k).fill(255);
      await this.#run(queries, first, end, { k, keys });
      const found = keysAt(this.#words(keys, 2 * threads * count * k));
      return Array.from({ length: count }, (_, query) => {
        const all = new Float64Array(threads * k);
        for (let thread = 0; thread < threads; thread++) {
          const at = (thread * count + query) * k;
          all.set(found.subarray(at, at + k), thread * k);
        }
        // Places that a thread has not filled hold the largest key of all and come last.
        return all.sort().slice(0, k);
      });
    } finally {
      this.#memory.free(keys);
    }
  }

  /**
   * Counts first and writes then, because nobody knows before how many there are. As many queries are written
   * together as there is room for.
   */
  async #withinOf(queries: PackedCodes, first: number, end: number, below: number): Promise<Float64Array[]> {
    const sizes = await this.#countsOf(queries, first, end, below);
    const room = this.#memory.largest - sizes.length * (this.#stride + 8) - 1024;
    const most = Math.min(KEYS, Math.floor(room / 8));
    const lists: Float64Array[] = [];
    for (let from = 0, to = 1; from < sizes.length; from = to++) {
      for (let total = sizes[from]; to < sizes.length && total + sizes[to] <= most; ) total += sizes[to++];
      const part = sizes.subarray(from, to);
      lists.push(...(await this.#foundBy(queries, first + from, first + to, below, part)));
    }
    return lists;
  }

  /** How many codes each query finds. */
  async #countsOf(queries: PackedCodes, first: number, end: number, below: number): Promise<Uint32Array> {
    const counts = this.#memory.allocate(4 * (end - first), 'the counts of the search');
    try {
      this.#words(counts, end - first).fill(0);
      await this.#run(queries, first, end, { below, counts });
      return this.#words(counts, end - first).slice();
    } finally {
      this.#memory.free(counts);
    }
  }

  /** The codes that each query finds, given how many they are. */
  async #foundBy(
    queries: PackedCodes,
    first: number,
    end: number,
    below: number,
    sizes: Uint32Array,
  ): Promise<Float64Array[]> {
    const count = end - first;
    const places = startsOf(sizes);
    const total = places[count];
    if (total === 0) return Array.from(sizes, () => new Float64Array(0));
    const { allocate, free } = this.#memory.lease();
    try {
      const counts = allocate(8 * count, 'the counts of the search');
      const keys = allocate(8 * total, 'the results of the search');
      const starts = counts + 4 * count;
      this.#words(counts, count).fill(0);
      this.#words(starts, count).set(places.subarray(0, count));
      await this.#run(queries, first, end, { below, counts, starts, keys, write: 1 });
      const found = keysAt(this.#words(keys, 2 * total));
      return Array.from(sizes, (_, query) => found.slice(places[query], places[query + 1]).sort());
    } finally {
      free();
    }
  }

  async #run(queries: PackedCodes, first: number, end: number, fields: JobFields): Promise<void> {
    const stride = this.#stride;
    const chunk = Math.max(8, Math.floor(CHUNK / stride));
    const queryCount = end - first;
    const at = this.#memory.allocate(queryCount * stride, 'the queries');
    try {
      this.#copy(queries, first, end, at);
      const units = Math.ceil(this.n / chunk);
      const shape = { n: this.n, stride, chunk, units, codes: this.#codes };
      writeJob(this.#memory, this.#job, { ...shape, queries: at, queryCount, ...fields });
      await this.#threads.run(this.#job, this.n * stride * queryCount < SMALL);
    } finally {
      this.#memory.free(at);
    }
  }

  /**
   * Codes `first` to `end` into the memory, each filled up with zeros to whole words; spare bits become 0,
   * too.
   */
  #copy(codes: PackedCodes, first: number, end: number, at: number): void {
    const width = rowBytes(this.H);
    const stride = this.#stride;
    const target = this.#memory.bytes(at, (end - first) * stride);
    if (width === stride) target.set(codes.bytes.subarray(first * width, end * width));
    else {
      target.fill(0);
      for (let i = first; i < end; i++) {
        for (let b = 0; b < width; b++) target[(i - first) * stride + b] = codes.bytes[i * width + b];
      }
    }
    const last = this.H & 7;
    if (last === 0) return;
    const used = this.#order === 'lsb' ? 255 >> (8 - last) : 255 << (8 - last);
    for (let k = width - 1; k < target.length; k += stride) target[k] &= used;
  }

  #words(at: number, length: number): Uint32Array {
    return new Uint32Array(this.#memory.memory.buffer, at, length);
  }

  /** The queries in the order of the codes' bits. */
  #agreeing(queries: PackedCodes): PackedCodes {
    if (this.#turns.ended) throw new Error('search: it is already closed');
    if (queries.H !== this.H) {
      throw new RangeError(
        `queries: found codes of ${counted(queries.H, 'bit')}, the codes to search have ${this.H}`,
      );
    }
    checked(queries);
    return queries.order === this.#order ? queries : reorderCodes(queries, this.#order);
  }
}

/** Bytes of codes in a unit: all queries of a batch go over them while they are in the cache. */
const CHUNK = 2 ** 17;
/** Queries that are searched for together. */
const BATCH = 64;
/** Keys that a batch may hold in memory together. */
const KEYS = 2 ** 23;
/** Comparisons of fewer bytes than this run on one thread: starting others would take longer. */
const SMALL = 2 ** 24;

import { Breath, eitherOf, untilAborted } from '../../rows/breath.ts';
import { type SeekOptions, WORD_RIDGE, type WordCodes } from '../word-codes.ts';
import type { Buffers, Dispatching, Kernel, Slab } from './dispatcher.ts';
import { EACH, gridFor, gridOf } from './grid.ts';
import { Tools } from './tools.ts';
import { ADDED, countProgram, SUMMED, solveProgram, sumProgram } from './wgsl/fit-words.ts';
import { productsProgram, SQUADS, seekProgram, TILE } from './wgsl/seek-words.ts';

/**
 * `WordCodes` on the device. Vectors and codes stay there; words come and go, and errors are read after each
 * search. Codes are packed, eight half bytes to a word of 32 bits.
 */
export class GpuWordCodes implements WordCodes {
  /** Of its own: other codes may be sought while these are. */
  readonly #tools: Tools;
  readonly #signal?: AbortSignal;
  readonly #n: number;
  readonly #V: number;
  readonly #halves: number;
  readonly #K: number;
  readonly #vectors: Slab;
  readonly #codes: Slab;
  readonly #squares: number;
  #freed = false;

  /** `signal` ends the wait of whoever reads. */
  constructor(
    dispatcher: Dispatching,
    vectors: Float32Array,
    V: number,
    halves: number,
    signal?: AbortSignal,
  ) {
    this.#tools = new Tools(dispatcher);
    this.#signal = signal;
    this.#n = vectors.length / V;
    this.#V = V;
    this.#halves = halves;
    this.#K = 16 * halves;
    this.#vectors = dispatcher.slab(4 * vectors.length, `${this.#n} vectors of ${V} numbers`);
    this.#codes = dispatcher.slab(4 * this.#n * this.#packed, `${this.#n} codes of ${halves} half bytes`);
    dispatcher.write(this.#vectors, 0, vectors);
    this.#squares = vectors.reduce((sum, value) => sum + value * value, 0);
  }

  async seek(words: Float32Array, options: SeekOptions): Promise<number> {
    const { dispatcher } = this.#tools;
    const n = this.#n;
    const V = this.#V;
    const K = this.#K;
    const halves = this.#halves;
    const { sweeps, tries = 1, hot, seed, noise: numbers } = options;
    const signal = options.signal ? eitherOf(this.#signal, options.signal) : this.#signal;
    const given = this.#written('words', words);
    const lengths = this.#written('lengths of words', lengthsOf(words, V));
    const noise = this.#written('random numbers', numbers);
    const pairs = this.#products(given, K, 0, given, 'products of words');
    const errors = this.#room('errors of codes', n);
    // Numbers that are looked at for one code: those of all words, for each half byte and sweep.
    const looks = halves * K * (tries * (sweeps + DESCENT) + DESCENT);
    const piece = Math.max(
      SQUADS,
      Math.min(n, Math.floor(MOST_PRODUCTS / K), Math.floor(MOST_LOOKS / looks)),
    );
    const breath = new Breath();
    for (let start = 0; start < n; start += piece) {
      await breath.between(signal);
      const end = Math.min(n, start + piece);
      const products = this.#products(this.#vectors, end - start, start, given, 'products of vectors');
      dispatcher.run(
        seeking(halves),
        gridOf(Math.ceil((end - start) / SQUADS)),
        { products, pairs, lengths, noise, codes: this.#codes, errors },
        { start, end, tries, sweeps, hot, seed },
        (end - start) * looks,
      );
      // What one piece takes is far more than a submission costs, and signals are heard in between.
      dispatcher.flush();
    }
    const found = new Float32Array(await untilAborted(dispatcher.read(errors, 0, 4 * n), signal));
    return (this.#squares + found.reduce((sum, error) => sum + error, 0)) / Math.max(1, n);
  }

  async fit(): Promise<Float32Array> {
    const { dispatcher } = this.#tools;
    const n = this.#n;
    const V = this.#V;
    const K = this.#K;
    const halves = this.#halves;
    const packed = this.#packed;
    const codes = this.#codes;
    const together = this.#room('words chosen together', K * K);
    dispatcher.run(counting, [halves, halves], { codes, together }, { n, packed, K }, n * K);
    const slots = Math.max(1, Math.min(SLOTS, Math.ceil(n / 64), Math.floor(MOST_SLICES / (K * V))));
    const slices = this.#room('slices of vectors by words', slots * K * V);
    const rows = Math.ceil(n / slots);
    dispatcher.run(
      summing,
      [halves, slots * Math.ceil(V / SUMMED)],
      { vectors: this.#vectors, codes, slices },
      { n, V, K, packed, rows, slots },
      n * V * halves,
    );
    const sums = this.#room('vectors by words', K * V);
    const tasks = K * V;
    dispatcher.run(adding, gridFor(tasks), { slices, sums }, { tasks, slots }, tasks * slots);
    const fitted = this.#room('words that fit', K * V);
    dispatcher.run(
      solving(Math.ceil(K / 256)),
      gridOf(V),
      { together, sums, words: fitted },
      { V, K, ridge: WORD_RIDGE },
      2 * STEPS * K * K * V,
    );
    return new Float32Array(await this.#read(fitted, K * V));
  }

  async read(): Promise<Uint8Array> {
    const n = this.#n;
    const halves = this.#halves;
    const packed = this.#packed;
    const words = new Uint32Array(await this.#read(this.#codes, n * packed));
    const chosen = new Uint8Array(n * halves);
    for (let i = 0; i < n; i++) {
      for (let m = 0; m < halves; m++)
        chosen[i * halves + m] = (words[i * packed + (m >> 3)] >>> (4 * (m & 7))) & 15;
    }
    return chosen;
  }

  write(chosen: Uint8Array): void {
    const n = this.#n;
    const halves = this.#halves;
    const packed = this.#packed;
    const words = new Uint32Array(n * packed);
    for (let i = 0; i < n; i++) {
      for (let m = 0; m < halves; m++)
        words[i * packed + (m >> 3)] |= chosen[i * halves + m] << (4 * (m & 7));
    }
    this.#tools.dispatcher.write(this.#codes, 0, words);
  }

  free(): void {
    if (this.#freed) return;
    this.#freed = true;
    for (const slab of [this.#vectors, this.#codes]) this.#tools.dispatcher.free(slab);
    this.#tools.free();
  }

  #read(slab: Slab, numbers: number): Promise<ArrayBuffer> {
    return untilAborted(this.#tools.dispatcher.read(slab, 0, 4 * numbers), this.#signal);
  }

  /** Words of 32 bits for each code. */
  get #packed(): number {
    return Math.ceil(this.#halves / 8);
  }

  #room(name: string, numbers: number): Slab {
    return this.#tools.room(name, 4 * numbers);
  }

  #written(name: string, numbers: Float32Array): Slab {
    const slab = this.#room(name, numbers.length);
    this.#tools.dispatcher.write(slab, 0, numbers);
    return slab;
  }

  /** The products of some rows, from row `start` on, with all words. */
  #products(rows: Slab, count: number, start: number, words: Slab, name: string): Slab {
    const K = this.#K;
    const V = this.#V;
    const out = this.#room(name, count * K);
    this.#tools.dispatcher.run(
      multiplying,
      [Math.ceil(count / TILE), Math.ceil(K / TILE)],
      { rows, words, out },
      { start, count, V, K },
      2 * count * K * V,
    );
    return out;
  }
}

/** The squared lengths of words. */
function lengthsOf(words: Float32Array, V: number): Float32Array {
  return Float32Array.from({ length: words.length / V }, (_, k) =>
    words.subarray(k * V, (k + 1) * V).reduce((sum, value) => sum + value * value, 0),
  );
}

/** Sweeps that a descent takes about. */
const DESCENT = 4;
/** Steps that a fit of words takes about. */
const STEPS = 26;
/** Products of vectors with words that are kept at a time: 128 MiB, which every adapter can bind. */
const MOST_PRODUCTS = 2 ** 25;
/**
 * Numbers that a dispatch looks at: some tens of milliseconds of a card, and well below the time that systems
 * give it.
 */
const MOST_LOOKS = 4e10;
/** Slices of the rows that are summed side by side, and their numbers. */
const SLOTS = 64;
const MOST_SLICES = 2 ** 24;

const multiplying = {
  key: 'products with words',
  fields: { start: 'u32', count: 'u32', V: 'u32', K: 'u32' },
  buffers: { rows: 'read f32', words: 'read f32', out: 'write vec4f' },
  code: productsProgram,
} as const satisfies Kernel<Record<string, 'u32'>, Buffers>;

const seeking = (halves: number) =>
  ({
    key: `seek words ${halves}`,
    fields: { start: 'u32', end: 'u32', tries: 'u32', sweeps: 'u32', hot: 'f32', seed: 'u32' },
    buffers: {
      products: 'read vec4f',
      pairs: 'read vec4f',
      lengths: 'read vec4f',
      noise: 'read f32',
      codes: 'write u32',
      errors: 'write f32',
    },
    code: () => seekProgram(halves),
  }) as const satisfies Kernel<Record<string, 'u32' | 'f32'>, Buffers>;

const counting = {
  key: 'count words',
  fields: { n: 'u32', packed: 'u32', K: 'u32' },
  buffers: { codes: 'read u32', together: 'write f32' },
  code: countProgram,
} as const satisfies Kernel<Record<string, 'u32'>, Buffers>;

const summing = {
  key: 'sum vectors by words',
  fields: { n: 'u32', V: 'u32', K: 'u32', packed: 'u32', rows: 'u32', slots: 'u32' },
  buffers: { vectors: 'read f32', codes: 'read u32', slices: 'write f32' },
  code: sumProgram,
} as const satisfies Kernel<Record<string, 'u32'>, Buffers>;

const adding = {
  key: 'add vectors by words',
  fields: { tasks: 'u32', slots: 'u32' },
  buffers: { slices: 'read f32', sums: 'write f32' },
  code: () => EACH(ADDED),
} as const satisfies Kernel<Record<string, 'u32'>, Buffers>;

const solving = (each: number) =>
  ({
    key: `solve words ${each}`,
    fields: { V: 'u32', K: 'u32', ridge: 'f32' },
    buffers: { together: 'read f32', sums: 'read f32', words: 'write f32' },
    code: () => solveProgram(each),
  }) as const satisfies Kernel<Record<string, 'u32' | 'f32'>, Buffers>;

import type { Engine } from '../engine/engine.ts';
import type { Memory } from '../engine/wasm/memory.ts';
import type { SeekOptions, WordCodes } from '../engine/word-codes.ts';
import { Breath } from '../rows/breath.ts';
import { jobBytes, writeJob } from '../search/job.ts';
import { openKernels } from '../search/open.ts';
import type { SearchOptions } from '../search/search.ts';
import { HALF } from '../search/tables.ts';
import type { Threads } from '../search/threads.ts';
import { WordFit } from './words.ts';

/** Where vectors seek codes and words are fitted to them. Results do not depend on the threads. */
export interface Assigner {
  /** Vectors (n x V) whose codes have so many half bytes. */
  codes(vectors: Float32Array, V: number, halves: number): WordCodes;
}

/**
 * Some work with codes of vectors, on an engine that has programs of its own for them, or on threads with the
 * kernels of src/kernels/search/assign.ts. What is left of it is freed at its end.
 */
export async function withAssigner<T>(
  engine: Engine | undefined,
  options: SearchOptions,
  work: (assigner: Assigner) => Promise<T>,
): Promise<T> {
  if (engine?.wordCodes) {
    const made: WordCodes[] = [];
    const codes: Assigner['codes'] = (...given) => made[made.push(engine.wordCodes!(...given)) - 1];
    return work({ codes }).finally(() => {
      for (const left of made) left.free();
    });
  }
  const { memory, threads } = await openKernels(options);
  return work(new ThreadAssigner(memory, threads)).finally(() => threads.close());
}

class ThreadAssigner implements Assigner {
  readonly #memory: Memory;
  readonly #threads: Threads;
  readonly #job: number;

  constructor(memory: Memory, threads: Threads) {
    this.#memory = memory;
    this.#threads = threads;
    this.#job = memory.allocate(jobBytes, 'the description of a job');
  }

  codes(vectors: Float32Array, V: number, halves: number): WordCodes {
    const chosen = new Uint8Array((vectors.length / V) * halves);
    let fit: WordFit | undefined;
    return {
      seek: (words, options) => this.#assign(vectors, words, V, chosen, options),
      async fit() {
        fit ??= new WordFit(vectors, V, halves);
        return fit.fit(chosen);
      },
      read: async () => chosen.slice(),
      write(given) {
        chosen.set(given);
        fit = undefined;
      },
      free() {},
    };
  }

  /** Improves the words chosen for vectors, from those in `chosen` on. */
  async #assign(
    vectors: Float32Array,
    words: Float32Array,
    V: number,
    chosen: Uint8Array,
    options: SeekOptions,
  ): Promise<number> {
    const K = words.length / V;
    const halves = K / HALF;
    const n = chosen.length / halves;
    const memory = this.#memory;
    const { allocate, free } = memory.lease();
    try {
      const piece = Math.min(n, PIECE);
      const at = {
        words: allocate(4 * words.length, 'the words of the codes'),
        pairs: allocate(4 * K * K, 'the products of the words'),
        lengths: allocate(4 * K, 'the lengths of the words'),
        vectors: allocate(4 * piece * V, 'the vectors'),
        chosen: allocate(piece * halves, 'the codes'),
        errors: allocate(4 * piece, 'the errors of the codes'),
        noise: allocate(4 * options.noise.length, 'random numbers'),
        scratch: allocate(this.#threads.count * (8 * K + halves), 'the work space of the threads'),
      };
      const floats = (from: number, length: number) => new Float32Array(memory.memory.buffer, from, length);
      writeWords(words, V, floats(at.words, words.length), floats(at.pairs, K * K), floats(at.lengths, K));
      floats(at.noise, options.noise.length).set(options.noise);
      let total = 0;
      const breath = new Breath();
      const turn = TURN * this.#threads.count;
      for (let first = 0; first < n; first += piece) {
        const count = Math.min(piece, n - first);
        const part = vectors.subarray(first * V, (first + count) * V);
        floats(at.vectors, count * V).set(part);
        const codes = chosen.subarray(first * halves, (first + count) * halves);
        memory.bytes(at.chosen, codes.length).set(codes);
        for (let from = 0; from < count; from += turn) {
          await breath.between(options.signal);
          const some = Math.min(turn, count - from);
          const places = {
            vectors: at.vectors + 4 * from * V,
            chosen: at.chosen + from * halves,
            errors: at.errors + 4 * from,
          };
          writeJob(memory, this.#job, {
            ...{ n: some, chunk: UNIT, units: Math.ceil(some / UNIT), V, halves, ...at, ...places },
            ...{ tries: options.tries ?? 1, sweeps: options.sweeps, hot: options.hot },
            seed: options.seed,
          });
          await this.#threads.run(this.#job, count * K * V < SMALL);
        }
        codes.set(memory.bytes(at.chosen, codes.length));
        const errors = floats(at.errors, count);
        for (let i = 0; i < count; i++) total += errors[i];
        for (let k = 0; k < part.length; k++) total += part[k] * part[k];
      }
      return total / Math.max(1, n);
    } finally {
      free();
    }
  }
}

/** Words as the kernels read them: V x 16 halves, with twice their products and their squared lengths. */
function writeWords(
  words: Float32Array,
  V: number,
  turned: Float32Array,
  pairs: Float32Array,
  lengths: Float32Array,
): void {
  const K = lengths.length;
  for (let k = 0; k < K; k++) for (let v = 0; v < V; v++) turned[v * K + k] = words[k * V + v];
  for (let k = 0; k < K; k++) {
    for (let j = 0; j <= k; j++) {
      let product = 0;
      for (let v = 0; v < V; v++) product += words[k * V + v] * words[j * V + v];
      pairs[k * K + j] = 2 * product;
      pairs[j * K + k] = 2 * product;
    }
    lengths[k] = pairs[k * K + k] / 2;
  }
}

/** The most vectors in the kernels' memory, per thread between two looks at signals, and at a time. */
const PIECE = 8192;
const TURN = 256;
const UNIT = 128;
/** Products of fewer numbers than this run on one thread. */
const SMALL = 2 ** 22;

import type { PackedCodes } from '../bits/pack.ts';
import type { Engine } from '../engine/engine.ts';
import { counted } from '../rows/counted.ts';
import type { SearchOptions } from '../search/search.ts';
import { HALF, type Tables } from '../search/tables.ts';
import { withAssigner } from './assigner.ts';
import { draws } from './draws.ts';
import { asVectors, type Metric, prepared, type Vectors, type VectorsInput } from './vectors.ts';

/** The parts of learned codes of vectors: everything that their file holds. */
export interface VectorCodesParts {
  readonly V: number;
  /** Bits of a code. */
  readonly H: number;
  readonly metric: Metric;
  /** The mean of the vectors that were learned from, those of length 1 for cosines. */
  readonly centre: Float32Array;
  /** 16 words for each half byte of a code, 4 H x V: a code stands for the sum of the words that it names. */
  readonly words: Float32Array;
  /** The weight of the length of a code's sum against the vector's own, chosen by the neighbours found. */
  readonly temperature: number;
  readonly training: VectorTraining;
}

/** How codes were learned. */
export interface VectorTraining {
  readonly n: number;
  /** The share of the vectors' variance that their codes leave. */
  readonly error: number;
  /** That variance: the mean squared length of the vectors minus their centre. */
  readonly squares: number;
  readonly rounds: number;
  readonly seed: number;
  readonly seconds: number;
  /** Of the ten nearest neighbours of held-out rows among the others, the share that codes find. */
  readonly recall: number;
}

export interface EncodeVectorsOptions extends SearchOptions {
  /** How often annealing is tried, each time eight sweeps over the half bytes. Default 16, or bits / 6. */
  readonly tries?: number;
  /** A GPU engine, to seek codes on; without one, threads do. */
  readonly engine?: Engine;
  /** Called with the share of the vectors that are done. */
  readonly onProgress?: (fraction: number) => void;
}

export interface EncodedVectors {
  readonly codes: PackedCodes;
  /** What each code costs whatever the query: give it to `openScores` with the codes. */
  readonly constants: Float32Array;
  /** The share of the vectors' variance that their codes leave. */
  readonly error: number;
}

/**
 * Codes of bits for vectors. A code e stands for r(e), the sum of one word for each of its half bytes. For a
 * query q, centred as the vectors were, its cost is
 *
 *     -q . r(e) + (t/2) |r(e)|^2 + ((1 - t)/2) |x|^2,
 *
 * with t = 1 half the squared distance but for a number that all codes share. The first part is a table of 16
 * numbers for each half byte, made once for a query; the rest is a constant, kept beside the code. Codes
 * leave much of the length of a vector x, on which Euclidean neighbours depend: the vector's own length is
 * the third part. Cosines have none, for vectors of length 1, and inner products have neither.
 */
export class VectorCodes implements VectorCodesParts {
  declare readonly V: number;
  declare readonly H: number;
  declare readonly metric: Metric;
  declare readonly centre: Float32Array;
  declare readonly words: Float32Array;
  declare readonly temperature: number;
  declare readonly training: VectorTraining;

  readonly #threads: SearchOptions;

  /** `threads` are those that `encode` works on where it is not told otherwise. */
  constructor(parts: VectorCodesParts, threads: SearchOptions = {}) {
    Object.assign(this, parts);
    this.#threads = threads;
  }

  /** The codes of vectors, to be kept and searched. */
  async encode(input: VectorsInput, options: EncodeVectorsOptions = {}): Promise<EncodedVectors> {
    const vectors = this.#checked(input, 'vectors', false);
    const { n, V } = vectors;
    const { engine, signal, onProgress } = options;
    const x = prepared(vectors, this.metric, this.centre);
    const chosen = new Uint8Array(n * this.#halves);
    const usual = effortOf(this.H, this.training.error * this.training.squares);
    const { tries = usual.tries } = options;
    const piece = engine?.wordCodes ? engine.rowsAtOnce : PIECE;
    const left = await withAssigner(engine, { ...this.#threads, ...options }, async (assigner) => {
      let sum = 0;
      for (let first = 0; first < n; first += piece) {
        const some = x.subarray(first * V, (first + piece) * V);
        const codes = assigner.codes(some, V, this.#halves);
        sum += (await codes.seek(this.words, { ...usual, tries, signal })) * (some.length / V);
        chosen.set(await codes.read(), first * this.#halves);
        codes.free();
        onProgress?.(Math.min(n, first + piece) / n);
      }
      return sum;
    });
    const squares = x.reduce((sum, value) => sum + value * value, 0);
    const codes = packHalves(chosen, this.H);
    return { codes, constants: this.constants(codes, vectors), error: squares > 0 ? left / squares : 0 };
  }

  /** The cost of each half byte for each query. Entries that are NaN are missing and add nothing. */
  tables(queries: VectorsInput): Tables {
    const vectors = this.#checked(queries, 'queries', true);
    const { V, words } = this;
    const x = prepared(vectors, this.metric, this.metric === 'inner' ? undefined : this.centre);
    const size = words.length / V;
    const values = new Float32Array(vectors.n * size);
    for (let q = 0; q < vectors.n; q++) {
      for (let k = 0; k < size; k++) {
        let product = 0;
        for (let v = 0; v < V; v++) product += x[q * V + v] * words[k * V + v];
        values[q * size + k] = -product;
      }
    }
    return { n: vectors.n, halves: this.#halves, values };
  }

  /**
   * The part of each code's cost that does not depend on the query. Give the vectors of the codes where they
   * are known: Euclidean neighbours depend on their lengths, for which those of what the codes stand for are
   * a poor substitute.
   */
  constants(codes: PackedCodes, vectors?: VectorsInput): Float32Array {
    const constants = new Float32Array(codes.n);
    if (this.metric === 'inner') return constants;
    const { V, temperature: t } = this;
    const euclidean = this.metric === 'euclidean';
    const known = euclidean && vectors && this.#checked(vectors, 'vectors', false);
    if (known && known.n !== codes.n)
      throw new RangeError(`vectors: found ${known.n}, expected one for each of ${counted(codes.n, 'code')}`);
    const x = known && prepared(known, this.metric, this.centre);
    const decoded = new Float64Array(V);
    for (let i = 0; i < codes.n; i++) {
      const length = squareOf(this.#add(codes, i, decoded.fill(0)));
      const own = x ? squareOf(x.subarray(i * V, (i + 1) * V)) : euclidean ? length : 0;
      constants[i] = (t * length + (1 - t) * own) / 2;
    }
    return constants;
  }

  /** The vectors that codes stand for, of about length 1 if the metric is the cosine. */
  decode(codes: PackedCodes): Vectors {
    const values = new Float32Array(codes.n * this.V);
    for (let i = 0; i < codes.n; i++) {
      const at = i * this.V;
      values.set(this.#add(codes, i, Float64Array.from(this.centre)), at);
    }
    return { n: codes.n, V: this.V, values };
  }

  get #halves(): number {
    return this.H / 4;
  }

  /** Adds the words of a code. */
  #add({ bytes, order }: PackedCodes, i: number, sum: Float64Array): Float64Array {
    if (order !== 'lsb')
      throw new RangeError("codes: the order of their bits must be 'lsb'; see reorderCodes");
    const { V, words } = this;
    for (let m = 0; m < this.#halves; m++) {
      const byte = bytes[i * (this.H / 8) + (m >> 1)];
      const at = (HALF * m + ((m & 1 ? byte >> 4 : byte) & 15)) * V;
      for (let v = 0; v < V; v++) sum[v] += words[at + v];
    }
    return sum;
  }

  #checked(input: VectorsInput, argument: string, missing: boolean): Vectors {
    const vectors = asVectors(input, argument, missing);
    if (vectors.n > 0 && vectors.V !== this.V) {
      throw new RangeError(
        `${argument}: found vectors of ${counted(vectors.V, 'number')}; the codes are for vectors of ${this.V}`,
      );
    }
    return vectors;
  }
}

/** Vectors whose codes are sought before progress is told. */
const PIECE = 8192;

function squareOf(x: Float32Array | Float64Array): number {
  let sum = 0;
  for (let v = 0; v < x.length; v++) sum += x[v] * x[v];
  return sum;
}

/**
 * The temperature that annealing begins with, as a share of what codes leave of a vector's squared length.
 */
export const HOT = 0.04;

/** How hard a vector's code is sought, given the share of its squared length that H bits usually leave. */
export function effortOf(H: number, left: number) {
  return { tries: Math.max(16, Math.floor(H / 6)), sweeps: 8, hot: HOT * left, ...draws(1) };
}

/** Two half bytes to a byte, the first in its lower half. */
export function packHalves(chosen: Uint8Array, H: number): PackedCodes {
  const bytes = new Uint8Array(chosen.length / 2);
  for (let b = 0; b < bytes.length; b++) bytes[b] = chosen[2 * b] | (chosen[2 * b + 1] << 4);
  return { n: bytes.length / (H / 8), H, order: 'lsb', bytes };
}

import { permutation } from '../rows/split.ts';
import type { SearchOptions } from '../search/search.ts';
import { Assigner } from './assigner.ts';
import { HOT, packHalves, VectorCodes } from './codes.ts';
import { firstWords } from './start.ts';
import { chooseTemperature } from './temperature.ts';
import { asVectors, METRICS, type Metric, prepared, type Vectors, type VectorsInput } from './vectors.ts';
import { fitWords } from './words.ts';

export interface FitVectorsOptions extends SearchOptions {
  /** Bits of a code, a multiple of 8. The one thing to choose. */
  readonly bits: number;
  readonly metric: Metric;
  /** Default 1. The result does not depend on the threads. */
  readonly seed?: number;
  /** Rounds of learning. Default 60. */
  readonly rounds?: number;
  readonly signal?: AbortSignal;
  /** Called after each round with the share that is done and the share of the variance that codes leave. */
  readonly onProgress?: (fraction: number, error: number) => void;
}

/**
 * Learns codes of bits for vectors: alternately every vector seeks a better code for the words there are, and the words
 * are fitted to the codes by least squares (Thm. 1 for the squared loss, where the fit is linear). It learns from at
 * most 65,536 of the vectors, less some that are held out to choose the temperature by.
 */
export async function fitVectors(input: VectorsInput, options: FitVectorsOptions): Promise<VectorCodes> {
  const { bits: H, metric, seed = 1, rounds = ROUNDS, signal, onProgress } = options;
  const began = performance.now();
  const vectors = asVectors(input, 'vectors', false);
  const { n, V } = vectors;
  if (!(Number.isInteger(H) && H >= 8 && H <= MOST_BITS && H % 8 === 0)) {
    throw new RangeError(`fitVectors: bits must be a multiple of 8 from 8 to ${MOST_BITS}, got ${H}`);
  }
  if (!METRICS.includes(metric)) {
    throw new RangeError(`fitVectors: metric must be one of ${METRICS.join(', ')}; got ${String(metric)}`);
  }
  if (!(Number.isInteger(rounds) && rounds >= 1)) {
    throw new RangeError(`fitVectors: rounds must be a whole number, 1 or more, got ${rounds}`);
  }
  if (n < 2 || V < 1) throw new RangeError(`fitVectors: needs two vectors or more, got ${n} of ${V} numbers`);
  const order = permutation(n, seed).subarray(0, Math.min(n, MOST_ROWS + HELD));
  const held = Math.max(1, Math.min(HELD, Math.floor(order.length / 10)));
  const [asked, learned] = [order.subarray(0, held), order.subarray(held)].map((part) =>
    taken(vectors, part),
  );
  const centre = meanOf(prepared(learned, metric), V);
  const x = prepared(learned, metric, centre);
  const squares = x.reduce((sum, value) => sum + value * value, 0) / learned.n;
  const halves = H / 4;
  const chosen = new Uint8Array(learned.n * halves);
  const assigner = await Assigner.create(options);
  let words = firstWords(x, V, halves, seed);
  let error = 0.3;
  try {
    for (let round = 0; round < rounds; round++) {
      // More half bytes lean on one another and take more sweeps; a vector keeps the best code of all rounds.
      const hot = HOT * error * squares;
      const left = await assigner.assign(x, words, V, chosen, {
        ...{ sweeps: Math.max(16, halves), hot, seed: seed + 7919 * round, signal },
      });
      error = squares > 0 ? left / squares : 0;
      words = fitWords(x, V, chosen, halves);
      onProgress?.((round + 1) / rounds, error);
    }
  } finally {
    await assigner.close();
  }
  const parts = { V, H, metric, centre, words };
  const { temperature, recall } = chooseTemperature(parts, { asked, learned, chosen });
  const seconds = (performance.now() - began) / 1000;
  const all = new Uint8Array(n * halves);
  order.subarray(held).forEach((row, i) => {
    all.set(chosen.subarray(i * halves, (i + 1) * halves), row * halves);
  });
  const training = { n: learned.n, error, squares, rounds, seed, seconds, recall };
  return new VectorCodes({ ...parts, temperature, training, trainingCodes: packHalves(all, H) });
}

const ROUNDS = 60;
const MOST_BITS = 512;
/** Vectors that are learned from at most, and that are held out at most. */
const MOST_ROWS = 65_536;
const HELD = 1000;

function taken({ V, values }: Vectors, rows: Uint32Array): Vectors {
  const out = new Float32Array(rows.length * V);
  rows.forEach((row, i) => {
    for (let v = 0; v < V; v++) out[i * V + v] = values[row * V + v];
  });
  return { n: rows.length, V, values: out };
}

function meanOf(x: Float32Array, V: number): Float32Array {
  const sums = new Float64Array(V);
  for (let i = 0; i < x.length; i++) sums[i % V] += x[i];
  return Float32Array.from(sums, (sum) => (sum * V) / x.length);
}

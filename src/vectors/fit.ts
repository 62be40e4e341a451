import type { Engine } from '../engine/engine.ts';
import { withEngine } from '../engine/scope.ts';
import { Breath } from '../rows/breath.ts';
import { permutation } from '../rows/split.ts';
import type { SearchOptions } from '../search/search.ts';
import { type Assigner, withAssigner } from './assigner.ts';
import { alongAxes } from './axes.ts';
import { effortOf, HOT, VectorCodes } from './codes.ts';
import { draws } from './draws.ts';
import { productWords, residualWords } from './start.ts';
import { chooseTemperature } from './temperature.ts';
import { asVectors, METRICS, type Metric, prepared, type Vectors, type VectorsInput } from './vectors.ts';

export interface FitVectorsOptions extends SearchOptions {
  /** Bits of a code, a multiple of 8. */
  readonly bits: number;
  readonly metric: Metric;
  /** Default 1. The result does not depend on the threads. */
  readonly seed?: number;
  /** Rounds of learning. Default 100. */
  readonly rounds?: number;
  /** A GPU engine, to learn on; without one, threads do. */
  readonly engine?: Engine;
  /** Called after each round with the share that is done and the share of the variance that codes leave. */
  readonly onProgress?: (fraction: number, error: number) => void;
}

/**
 * Learns codes of bits for vectors: in turns, every vector looks for a better code with the current words,
 * and the words are fitted to the codes by least squares (Thm. 1 for the squared loss, where the fit is
 * linear). It learns from at most 65,536 of the vectors; some of these are held out to choose the
 * temperature.
 */
export async function fitVectors(input: VectorsInput, options: FitVectorsOptions): Promise<VectorCodes> {
  const { bits: H, metric, seed = 1, rounds = ROUNDS, signal, onProgress } = options;
  signal?.throwIfAborted();
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
  const breath = new Breath();
  await breath.between(signal);
  const order = permutation(n, seed).subarray(0, Math.min(n, MOST_ROWS + HELD));
  const held = Math.max(1, Math.min(HELD, Math.floor(order.length / 10)));
  const [asked, learned] = [order.subarray(0, held), order.subarray(held)].map((part) =>
    taken(vectors, part),
  );
  await breath.between(signal);
  const centre = meanOf(prepared(learned, metric), V);
  await breath.between(signal);
  const x = prepared(learned, metric, centre);
  const squares = meanSquaredLength(x, learned.n);
  const halves = H / 4;
  const work = (engine: Engine) => async (assigner: Assigner) => {
    const { D, y } = await alongAxes(engine, x, V, Math.max(LEAST_AXES, H));
    const beyond = Math.max(0, squares - meanSquaredLength(y, learned.n));
    const task = { assigner, D, halves, squares, beyond, seed, signal };
    const { chosen } = await learn(y, await betterStart(y, task), rounds, task, onProgress);
    // The words of all V numbers, and the codes that are best for those: the same ones if V = D.
    const codes = assigner.codes(x, V, halves);
    codes.write(chosen);
    const words = await codes.fit();
    const left = await codes.seek(words, { tries: 0, sweeps: 0, hot: 0, ...draws(seed), signal });
    // Neighbours will be sought among codes that are sought anew, not among those that learning has kept.
    const looked = assigner.codes(x.subarray(0, MOST_LOOKED * V), V, halves);
    await looked.seek(words, { ...effortOf(H, left), signal });
    const parts = { V, H, metric, centre, words };
    const anew = { asked, learned, chosen: await looked.read() };
    const { temperature, recall } = await chooseTemperature(engine, parts, anew);
    const seconds = (performance.now() - began) / 1000;
    const error = squares > 0 ? left / squares : 0;
    const training = { n: learned.n, error, squares, rounds, seed, seconds, recall };
    const { threads, start } = options;
    return new VectorCodes({ ...parts, temperature, training }, { threads, start });
  };
  return withEngine({ engine: options.engine, signal }, (engine) =>
    withAssigner(engine, options, work(engine)),
  );
}

interface Task {
  readonly assigner: Assigner;
  /** Numbers of a vector that are learned from: its coordinates along as many axes. */
  readonly D: number;
  readonly halves: number;
  /** The mean squared length of the vectors, and the part of it that lies beyond the axes. */
  readonly squares: number;
  readonly beyond: number;
  readonly seed: number;
  readonly signal?: AbortSignal;
}

/** What was learned: words, the half bytes of the vectors' codes, and the share of variance that is left. */
interface Learned {
  readonly words: Float32Array;
  readonly chosen: Uint8Array;
  readonly error: number;
}

/**
 * Rounds of the alternation. In the first three quarters of them codes are sought afresh, for some of the
 * vectors: codes that were kept would hold the words near where they began, and words that only kept codes
 * can use serve new vectors badly. Then all vectors seek codes, and each keeps the best one of all rounds.
 */
async function learn(
  y: Float32Array,
  start: Float32Array,
  rounds: number,
  { assigner, D, halves, squares, beyond, seed, signal }: Task,
  onRound?: (fraction: number, error: number) => void,
): Promise<Learned> {
  const afresh = Math.floor(AFRESH * rounds);
  let [words, error] = [start, 0.3];
  let codes = assigner.codes(y.subarray(0, AFRESH_ROWS * D), D, halves);
  const none = new Uint8Array(Math.min(AFRESH_ROWS, y.length / D) * halves);
  const breath = new Breath();
  for (let round = 0; round < rounds; round++) {
    if (round < afresh) codes.write(none);
    else if (round === afresh) {
      codes.free();
      codes = assigner.codes(y, D, halves);
    }
    const hot = HOT * error * squares;
    const left = await codes.seek(words, { sweeps: SWEEPS, hot, ...draws(seed + 7919 * round), signal });
    error = squares > 0 ? (left + beyond) / squares : 0;
    await breath.between(signal);
    words = await codes.fit();
    onRound?.((round + 1) / rounds, error);
  }
  const chosen = await codes.read();
  codes.free();
  return { words, chosen, error };
}

/**
 * Where learning begins decides how well it ends: with few bits for the numbers of a vector the one start is
 * better, with many the other. Both learn from some vectors for a few rounds; the one by which codes that are
 * sought anew leave less is taken. Other vectors would judge wrongly: so few teach too little of them, and
 * most where the start has most to learn. The words that it ended with, fitted to few vectors, would make
 * codes harder to find: learning begins afresh.
 */
async function betterStart(y: Float32Array, task: Task): Promise<Float32Array> {
  const { assigner, D, halves, squares, seed, signal } = task;
  const some = y.subarray(0, TRIED * D);
  let best: { words: Float32Array; left: number } | undefined;
  for (const start of [residualWords, productWords]) {
    const first = await start(some, task);
    const { words, error } = await learn(some, first, TRIAL_ROUNDS, task);
    const anew = assigner.codes(some, D, halves);
    const effort = { tries: halves / 2, sweeps: 8, hot: HOT * error * squares, ...draws(seed), signal };
    const left = await anew.seek(words, effort);
    anew.free();
    if (!best || left < best.left) best = { words: first, left };
  }
  return best!.words;
}

const ROUNDS = 100;
const SWEEPS = 16;
/** The share of the rounds in which codes are sought afresh, and for how many vectors at most. */
const AFRESH = 0.75;
const AFRESH_ROWS = 20_000;
/** Vectors and rounds by which starts are compared. */
const TRIED = 4096;
const TRIAL_ROUNDS = 8;
/**
 * Axes that are learned along at least, where vectors have as many numbers; one for each bit if that is more.
 */
const LEAST_AXES = 128;
const MOST_BITS = 512;
/** Vectors that are learned from at most, and that are held out at most. */
const MOST_ROWS = 65_536;
const HELD = 1000;
/** Vectors among which the neighbours of those held out are sought at most. */
const MOST_LOOKED = 20_000;

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

function meanSquaredLength(x: Float32Array, n: number): number {
  return x.reduce((sum, value) => sum + value * value, 0) / n;
}

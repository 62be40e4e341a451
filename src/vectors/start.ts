import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { HALF } from '../search/tables.ts';
import type { Assigner } from './assigner.ts';
import { draws } from './draws.ts';

/**
 * Words to begin learning with, 16 halves x D, for vectors (n x D) in the coordinates of their principal
 * axes.
 */
type Start = (vectors: Float32Array, options: StartOptions) => Promise<Float32Array>;

interface StartOptions {
  readonly assigner: Assigner;
  readonly D: number;
  readonly halves: number;
  readonly seed: number;
  readonly signal?: AbortSignal;
}

/**
 * 16 means of the vectors, then 16 means of what those leave, and so on. Words of different half bytes
 * overlap: together they describe most where bits are few, and the code of a vector is hard to find where
 * they are many.
 */
export const residualWords: Start = async (vectors, { assigner, D, halves, seed, signal }) => {
  const sample = vectors.slice(0, D * SAMPLE);
  const random = randomNumbers(seed);
  const words = new Float32Array(HALF * halves * D);
  for (let m = 0; m < halves; m++)
    words.set(await takeMeans(assigner, sample, D, random, signal), m * HALF * D);
  return words;
};

/**
 * Each half byte describes a few of the axes, so that it hardly depends on the others, whose axes are at
 * right angles. Learning lets words grow beyond their axes, and codes stay easy to find. Axes are dealt out
 * so that the groups have similar volumes; with more half bytes than axes several share a group, each
 * describing what is left.
 */
export const productWords: Start = async (vectors, { assigner, D, halves, seed, signal }) => {
  const sample = vectors.subarray(0, D * SAMPLE);
  const random = randomNumbers(seed);
  const groups = dealt(meanSquares(sample, D), Math.min(halves, D));
  const parts = groups.map((group) => onlyAlong(sample, D, group));
  const words = new Float32Array(HALF * halves * D);
  for (let m = 0; m < halves; m++) {
    const group = groups[m % groups.length];
    const means = await takeMeans(assigner, parts[m % groups.length], group.length, random, signal);
    for (let w = 0; w < HALF; w++) {
      group.forEach((axis, d) => {
        words[(HALF * m + w) * D + axis] = means[w * group.length + d];
      });
    }
  }
  return words;
};

const SAMPLE = 4000;
const STEPS = 8;

type Random = (below: number) => number;

function randomNumbers(seed: number): Random {
  const stream = xoroshiro128plus(seed);
  return (below) => uniformInt(stream, 0, below - 1);
}

/** Axes for each group: longest first, each to the group of the least volume that has room. */
function dealt(variances: Float64Array, count: number): number[][] {
  const room = Math.ceil(variances.length / count);
  const least = Math.max(variances[variances.length - 1], 1e-9 * variances[0]);
  const groups = Array.from({ length: count }, () => ({ axes: [] as number[], volume: 0 }));
  variances.forEach((variance, axis) => {
    const open = groups.filter(({ axes }) => axes.length < room);
    const to = open.reduce((best, group) => (group.volume < best.volume ? group : best));
    to.axes.push(axis);
    to.volume += Math.log(1 + variance / (least || 1));
  });
  return groups.map(({ axes }) => axes);
}

function meanSquares(vectors: Float32Array, D: number): Float64Array {
  const sums = new Float64Array(D);
  for (let k = 0; k < vectors.length; k++) sums[k % D] += vectors[k] ** 2;
  return sums.map((sum) => (sum * D) / vectors.length);
}

/** Some of the coordinates of vectors: n x axes. */
function onlyAlong(vectors: Float32Array, D: number, axes: readonly number[]): Float32Array {
  const width = axes.length;
  return Float32Array.from(
    { length: (vectors.length / D) * width },
    (_, k) => vectors[Math.floor(k / width) * D + axes[k % width]],
  );
}

/**
 * 16 means of vectors, found by a few steps of k-means; each vector becomes what its nearest mean leaves of
 * it.
 */
async function takeMeans(
  assigner: Assigner,
  rest: Float32Array,
  V: number,
  random: Random,
  signal: AbortSignal | undefined,
): Promise<Float32Array> {
  const n = rest.length / V;
  const means = new Float32Array(HALF * V);
  for (let w = 0; w < HALF; w++) {
    const i = random(n);
    means.set(rest.subarray(i * V, (i + 1) * V), w * V);
  }
  // The code of a single half byte is the nearest of its words.
  const codes = assigner.codes(rest, V, 1);
  const seek = async () => {
    await codes.seek(means, { tries: 0, sweeps: 0, hot: 0, ...draws(1), signal });
    return codes.read();
  };
  let nearest = await seek();
  for (let step = 0; step < STEPS; step++) {
    moveTo(rest, nearest, means, V);
    nearest = await seek();
  }
  codes.free();
  for (let i = 0; i < n; i++) {
    for (let v = 0; v < V; v++) rest[i * V + v] -= means[nearest[i] * V + v];
  }
  return means;
}

/** Means move to the middle of the vectors nearest to them; one that has none stays. */
function moveTo(vectors: Float32Array, nearest: Uint8Array, means: Float32Array, V: number): void {
  const sums = new Float64Array(means.length);
  const counts = new Uint32Array(HALF);
  nearest.forEach((w, i) => {
    counts[w]++;
    for (let v = 0; v < V; v++) sums[w * V + v] += vectors[i * V + v];
  });
  for (let w = 0; w < HALF; w++) {
    if (counts[w] === 0) continue;
    for (let v = 0; v < V; v++) means[w * V + v] = sums[w * V + v] / counts[w];
  }
}

import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { HALF } from '../search/tables.ts';

/**
 * Words to begin with: 16 means of the vectors, then 16 means of what those leave, and so on, each found by a few steps
 * of k-means on a sample.
 */
export function firstWords(vectors: Float32Array, V: number, halves: number, seed: number): Float32Array {
  const random = xoroshiro128plus(seed);
  const count = Math.min(vectors.length / V, SAMPLE);
  const rest = vectors.slice(0, count * V);
  const words = new Float32Array(HALF * halves * V);
  for (let m = 0; m < halves; m++) {
    const means = words.subarray(m * HALF * V, (m + 1) * HALF * V);
    for (let w = 0; w < HALF; w++) {
      const i = uniformInt(random, 0, count - 1);
      means.set(rest.subarray(i * V, (i + 1) * V), w * V);
    }
    let nearest = nearestOf(rest, means, V);
    for (let step = 0; step < STEPS; step++) {
      moveTo(rest, nearest, means, V);
      nearest = nearestOf(rest, means, V);
    }
    for (let i = 0; i < count; i++) {
      for (let v = 0; v < V; v++) rest[i * V + v] -= means[nearest[i] * V + v];
    }
  }
  return words;
}

const SAMPLE = 4000;
const STEPS = 5;

function nearestOf(vectors: Float32Array, means: Float32Array, V: number): Uint8Array {
  const n = vectors.length / V;
  const nearest = new Uint8Array(n);
  for (let i = 0; i < n; i++) {
    let least = Number.POSITIVE_INFINITY;
    for (let w = 0; w < HALF; w++) {
      let distance = 0;
      for (let v = 0; v < V; v++) distance += (vectors[i * V + v] - means[w * V + v]) ** 2;
      if (distance < least) {
        least = distance;
        nearest[i] = w;
      }
    }
  }
  return nearest;
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

import type { Engine } from '../engine/engine.ts';
import { projected } from '../engine/products.ts';
import { keepHighest } from '../rows/highest.ts';
import { entry, type Rows, sliceRows } from '../rows/rows.ts';
import { columnMeans } from './logistic-columns.ts';

/**
 * Guesses by the most similar training rows, those that agree with most of a row's known entries. Their mean
 * is pulled towards the column's mean by the weight of one more row. n x V in [-1, 1], for all entries.
 */
export async function guessByNearest(
  engine: Engine,
  training: Rows,
  rows: Rows,
  count = 50,
): Promise<Float32Array> {
  const { V } = training;
  const means = columnMeans(training);
  const nearest = Math.min(count, training.n);
  const guessed = new Float32Array(rows.n * V);
  for (let start = 0; start < rows.n; start += CHUNK) {
    const some = sliceRows(rows, start, Math.min(rows.n, start + CHUNK));
    const chosen = await mostAlike(engine, training, some, nearest);
    for (let i = 0; i < some.n; i++) {
      for (let v = 0; v < V; v++) {
        let [ones, known] = [means[v], 1];
        for (let k = 0; k < nearest; k++) {
          const x = entry(training, chosen[i * nearest + k], v);
          if (Number.isNaN(x)) continue;
          ones += (1 + x) / 2;
          known++;
        }
        guessed[(start + i) * V + v] = (2 * ones) / known - 1;
      }
    }
  }
  return guessed;
}

/** Rows to be guessed, and training rows, that are compared at a time. */
const CHUNK = 1024;

/** For each row the `count` training rows with the largest sum of x y over its known entries. */
async function mostAlike(engine: Engine, training: Rows, rows: Rows, count: number): Promise<Uint32Array> {
  const { V } = training;
  const best = new Float32Array(rows.n * count).fill(Number.NEGATIVE_INFINITY);
  const chosen = new Uint32Array(rows.n * count);
  const block = engine.load(rows);
  for (let first = 0; first < training.n; first += CHUNK) {
    const width = Math.min(CHUNK, training.n - first);
    const columns = new Float32Array(V * width);
    for (let i = 0; i < width; i++)
      for (let v = 0; v < V; v++) columns[v * width + i] = entry(training, first + i, v) || 0;
    const alike = await projected(engine, block, columns, width);
    for (let i = 0; i < rows.n; i++) {
      const [scores, found] = [
        best.subarray(i * count, (i + 1) * count),
        chosen.subarray(i * count, (i + 1) * count),
      ];
      for (let j = 0; j < width; j++) keepHighest(scores, found, alike[i * width + j], first + j);
    }
  }
  block.free();
  return chosen;
}

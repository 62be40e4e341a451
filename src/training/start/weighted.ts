import type { Engine, Shape } from '../../engine/engine.ts';
import { eachKnown } from '../../rows/entries.ts';
import { type Rows, takeRows } from '../../rows/rows.ts';
import type { TrainingExtras } from '../data.ts';
import { baseRateScore, leadingDirections, weightsAlong } from './start.ts';

/**
 * Where learning starts when entries are missing or weighted: like `startFromData`, from the leading
 * directions of sqrt(row weight * column weight) (x - mean). A missing entry is put at its column's mean,
 * where it has no influence.
 */
export async function startFromWeighted(
  engine: Engine,
  given: Rows,
  shape: Shape,
  seed: number,
  givenWeights: TrainingExtras,
): Promise<Float32Array> {
  const { V, H, bias } = shape;
  const { rows, weights } = someRows(given, givenWeights);
  const { n } = rows;
  const { means, counts } = columnMeans(rows, weights.rowWeights);
  const columns = Float64Array.from({ length: V }, (_, v) => Math.sqrt(weights.columnWeights?.[v] ?? 1));
  const values = new Float32Array(n * V);
  const ofRows = Float64Array.from({ length: n }, (_, i) => Math.sqrt(weights.rowWeights?.[i] ?? 1));
  eachKnown(rows, (x, i, v) => {
    values[i * V + v] = ofRows[i] * columns[v] * (x - (bias ? means[v] : 0));
  });
  const block = engine.load({ kind: 'real', n, V, values });
  const found = await leadingDirections(engine, block, H, seed, false);
  block.free();
  return weightsAlong(found, shape, seed, (v) => ({
    scale: columns[v] > 0 ? 2 / columns[v] : 0,
    bias: baseRateScore(means[v], counts[v]),
  }));
}

/**
 * As many of the rows as there is memory for as numbers, evenly spaced. A number takes 32 times the memory of
 * a bit.
 */
export function someRows(
  rows: Rows,
  weights: TrainingExtras,
  numbers = MOST_NUMBERS,
): { readonly rows: Rows; readonly weights: TrainingExtras } {
  const n = Math.max(1, Math.floor(numbers / rows.V));
  if (rows.n <= n) return { rows, weights };
  const order = Uint32Array.from({ length: n }, (_, i) => Math.floor((i * rows.n) / n));
  const { rowWeights, columnWeights } = weights;
  const chosen = rowWeights && Float32Array.from(order, (i) => rowWeights[i]);
  return { rows: takeRows(rows, order), weights: { rowWeights: chosen, columnWeights } };
}

/** 256 MiB of them. */
const MOST_NUMBERS = 2 ** 26;

/** The mean of each column's known entries (0 if there are none) and their total weight. */
function columnMeans(rows: Rows, rowWeights?: Float32Array): { means: Float64Array; counts: Float64Array } {
  const means = new Float64Array(rows.V);
  const counts = new Float64Array(rows.V);
  eachKnown(rows, (x, i, v) => {
    const weight = rowWeights?.[i] ?? 1;
    means[v] += weight * x;
    counts[v] += weight;
  });
  return { means: means.map((sum, v) => (counts[v] > 0 ? sum / counts[v] : 0)), counts };
}

import { type Engine, type Shape, widthOf } from '../../engine/engine.ts';
import { entry, type Rows, takeRows } from '../../rows/rows.ts';
import type { TrainingExtras } from '../data.ts';
import { baseRateScore, fillSilentUnits, leadingDirections } from './start.ts';

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
  const width = widthOf(shape);
  const { means, counts } = columnMeans(rows, weights.rowWeights);
  const columns = Float64Array.from({ length: V }, (_, v) => Math.sqrt(weights.columnWeights?.[v] ?? 1));
  const values = new Float32Array(n * V);
  for (let i = 0; i < n; i++) {
    const row = Math.sqrt(weights.rowWeights?.[i] ?? 1);
    for (let v = 0; v < V; v++) {
      const x = entry(rows, i, v);
      if (!Number.isNaN(x)) values[i * V + v] = row * columns[v] * (x - (bias ? means[v] : 0));
    }
  }
  const block = engine.load({ kind: 'real', n, V, values });
  const { directions, deviations } = await leadingDirections(engine, block, H, seed, false);
  block.free();
  const found = deviations.length;
  const W = new Float32Array(V * width);
  for (let v = 0; v < V; v++) {
    const scale = columns[v] > 0 ? 2 / columns[v] : 0;
    for (let h = 0; h < found; h++) W[v * width + h] = scale * deviations[h] * directions[v * found + h];
    if (bias) W[v * width + H] = baseRateScore(means[v], counts[v]);
  }
  fillSilentUnits(W, V, H, width, found, seed);
  return W;
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
  for (let i = 0; i < rows.n; i++) {
    const weight = rowWeights?.[i] ?? 1;
    for (let v = 0; v < rows.V; v++) {
      const x = entry(rows, i, v);
      if (Number.isNaN(x)) continue;
      means[v] += weight * x;
      counts[v] += weight;
    }
  }
  return { means: means.map((sum, v) => (counts[v] > 0 ? sum / counts[v] : 0)), counts };
}

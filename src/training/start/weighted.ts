import type { Engine, Shape } from '../../engine/engine.ts';
import { eachKnown } from '../../rows/entries.ts';
import type { Rows } from '../../rows/rows.ts';
import type { TrainingExtras } from '../data.ts';
import { baseRateScore, leadingDirections, weightsAlong } from './start.ts';

/**
 * Where learning starts when entries are missing or weighted: like `startFromData`, from the leading
 * directions of sqrt(row weight * column weight) (x - mean). A missing entry is put at its column's mean,
 * where it has no influence.
 */
export async function startFromWeighted(
  engine: Engine,
  rows: Rows,
  shape: Shape,
  seed: number,
  weights: Pick<TrainingExtras, 'rowWeights' | 'columnWeights'>,
): Promise<Float32Array> {
  const { V, H, bias } = shape;
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

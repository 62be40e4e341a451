import type { Engine } from '../../engine/engine.ts';
import { keepHighest } from '../../rows/highest.ts';
import type { Masked } from './masked.ts';

/**
 * Chooses the neighbours of each column: the columns that correlate most with the errors of its
 * reconstruction, at hidden entries. |sum_i (x_iv - y_iv) z_iu| is the slope of the slack in the weight of
 * neighbour u at 0, so that these are the weights along which the slack falls fastest, for columns of unit
 * deviation.
 *
 * `filled` are the rows with reconstructions in their gaps. Returns V x K columns, strongest first; a column
 * with fewer neighbours is filled up with itself.
 */
export async function chooseColumns(
  engine: Engine,
  masked: Masked,
  filled: Float32Array,
  K: number,
): Promise<Int32Array> {
  const { V } = masked;
  const strengths = await slopes(engine, masked, filled);
  const columns = new Int32Array(V * K);
  const best = new Float64Array(K);
  for (let v = 0; v < V; v++) {
    const row = columns.subarray(v * K, (v + 1) * K).fill(v);
    best.fill(0);
    for (let u = 0; u < V; u++) {
      if (u !== v) keepHighest(best, row, strengths[u * V + v], u);
    }
  }
  return columns;
}

/** The slope of column v's slack along neighbour u, at index u V + v. */
async function slopes(engine: Engine, masked: Masked, filled: Float32Array): Promise<Float32Array> {
  const { n, V, hidden } = masked;
  const count = Math.max(1, Math.min(n, Math.floor(PRODUCTS / (V * V))));
  const values = new Float32Array(count * V);
  const residuals = new Float32Array(count * V);
  const means = new Float64Array(V);
  for (let i = 0, to = 0; i < count; i++) {
    const from = Math.floor((i * n) / count) * V;
    for (let v = 0; v < V; v++, to++) {
      const z = filled[from + v];
      const x = hidden[from + v];
      values[to] = z;
      means[v] += z / count;
      // Hidden entries are unknown, so that z is their reconstruction.
      residuals[to] = Number.isNaN(x) ? 0 : x - z;
    }
  }
  const squares = new Float64Array(V);
  for (let i = 0, at = 0; i < count; i++) {
    for (let v = 0; v < V; v++, at++) {
      values[at] -= means[v];
      squares[v] += values[at] * values[at];
    }
  }
  const block = engine.load({ kind: 'real', n: count, V, values });
  const Y = engine.floats(residuals.length);
  const A = engine.floats(V * V);
  Y.write(residuals);
  await engine.correlate(block, Y, V, A);
  const sums = await A.read();
  for (const used of [block, Y, A]) used.free();
  // Columns that hardly ever change correlate with anything by chance: raise their variance a little.
  return sums.map((sum, k) => Math.abs(sum) / Math.sqrt(squares[Math.floor(k / V)] + LIVELIER * count));
}

/** The most products for these correlations, which take about a second. */
const PRODUCTS = 4e9;
const LIVELIER = 0.04;

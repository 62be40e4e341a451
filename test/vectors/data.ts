import { gaussians } from '../../src/solvers/gaussians.ts';
import type { Metric, Vectors } from '../../src/vectors/vectors.ts';

/** Vectors around a few centres, off the origin: neighbours are worth finding. */
export function clustered(n: number, V: number, seed: number): Vectors {
  const centres = gaussians(12 * V, 77);
  const noise = gaussians(n * V, seed);
  const values = new Float32Array(n * V);
  for (let i = 0; i < n; i++) {
    for (let v = 0; v < V; v++)
      values[i * V + v] = 1 + centres[((i * 7) % 12) * V + v] + 0.6 * noise[i * V + v];
  }
  return { n, V, values };
}

export function costBetween(a: Vectors, i: number, b: Vectors, j: number, metric: Metric): number {
  let [product, left, right] = [0, 0, 0];
  for (let v = 0; v < a.V; v++) {
    const [x, y] = [a.values[i * a.V + v], b.values[j * b.V + v]];
    product += x * y;
    left += x * x;
    right += y * y;
  }
  if (metric === 'inner') return -product;
  return metric === 'cosine' ? -product / Math.sqrt(left * right) : left + right - 2 * product;
}

/** The share of the ten exact neighbours of each query among the indices found (k for each). */
export function recallOf(
  base: Vectors,
  queries: Vectors,
  metric: Metric,
  found: { indices: Uint32Array; k: number },
): number {
  let hits = 0;
  for (let q = 0; q < queries.n; q++) {
    const costs = Array.from({ length: base.n }, (_, i) => [costBetween(queries, q, base, i, metric), i]);
    const truth = new Set(
      costs
        .sort((a, b) => a[0] - b[0])
        .slice(0, 10)
        .map(([, i]) => i),
    );
    for (const i of found.indices.subarray(q * found.k, (q + 1) * found.k)) if (truth.has(i)) hits++;
  }
  return hits / (10 * queries.n);
}

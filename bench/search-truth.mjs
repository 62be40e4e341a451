/** The exact neighbours of queries, by which recall is measured; see search-recall.mjs. */
import { leastTen } from '../dist/search/temperature.js';

/** Vectors as they are compared: of length 1 for cosines. */
export function prepare({ n, V, values }, metric) {
  const out = Float32Array.from(values);
  if (metric !== 'cosine') return out;
  for (let i = 0; i < n; i++) {
    const row = out.subarray(i * V, (i + 1) * V);
    const length = Math.sqrt(row.reduce((sum, x) => sum + x * x, 0));
    if (length > 0) for (let v = 0; v < V; v++) row[v] /= length;
  }
  return out;
}

/** For each query the numbers of the ten nearest vectors, by distance (which for vectors of length 1 is by cosine). */
export function nearestTen(base, queries, V) {
  const n = base.length / V;
  const squares = Float64Array.from({ length: n }, (_, i) =>
    base.subarray(i * V, (i + 1) * V).reduce((sum, x) => sum + x * x, 0),
  );
  return Array.from({ length: queries.length / V }, (_, q) => {
    const costs = new Float64Array(n);
    for (let i = 0; i < n; i++) {
      let product = 0;
      for (let v = 0; v < V; v++) product += queries[q * V + v] * base[i * V + v];
      costs[i] = squares[i] / 2 - product;
    }
    return new Set(leastTen(costs));
  });
}

/** The share of the true ten among the first ten found, and among all k found. */
export function recallOf(truth, { indices, k }) {
  let [ten, hundred] = [0, 0];
  truth.forEach((set, q) => {
    for (let r = 0; r < k; r++) {
      if (!set.has(indices[q * k + r])) continue;
      hundred++;
      if (r < 10) ten++;
    }
  });
  return { ten: ten / (10 * truth.length), hundred: hundred / (10 * truth.length) };
}

/** Float32 numbers as an NPY file. */
export function npy(values, width) {
  const shape = `(${values.length / width}, ${width})`;
  const header = `{'descr': '<f4', 'fortran_order': False, 'shape': ${shape}, }`.padEnd(117);
  const start = Buffer.from(`\x93NUMPY\x01\x00\x76\x00${header}\n`, 'latin1');
  return Buffer.concat([start, Buffer.from(values.buffer, values.byteOffset, values.byteLength)]);
}

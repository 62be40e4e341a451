/** The exact neighbours of queries, by which recall is measured; see search-recall.mjs. */
import { withEngine } from '../dist/engine/scope.js';
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

/**
 * For each query the numbers of the ten nearest vectors, by distance (which for vectors of length 1 is by
 * cosine): products of the engine in float32, for some queries at a time.
 */
export function nearestTen(base, queries, V) {
  const n = base.length / V;
  const count = queries.length / V;
  const squares = Float64Array.from({ length: n }, (_, i) =>
    base.subarray(i * V, (i + 1) * V).reduce((sum, x) => sum + x * x, 0),
  );
  return withEngine({}, async (engine) => {
    const block = engine.load({ kind: 'real', n, V, values: base });
    const [turned, products] = [engine.floats(V * TOGETHER), engine.floats(n * TOGETHER)];
    const truth = [];
    for (let first = 0; first < count; first += TOGETHER) {
      const width = Math.min(TOGETHER, count - first);
      const column = (k) => queries[(first + (k % width)) * V + Math.floor(k / width)];
      turned.write(Float32Array.from({ length: V * width }, (_, k) => column(k)));
      await engine.project(block, turned, width, products);
      const found = await products.read(0, n * width);
      for (let q = 0; q < width; q++) {
        truth.push(new Set(leastTen(squares.map((square, i) => square / 2 - found[i * width + q]))));
      }
    }
    return truth;
  });
}

const TOGETHER = 50;

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

/** A matrix of n x V as V x n, in tiles that stay close in memory. */
export function transposed(values: Float32Array, n: number, V: number): Float32Array {
  const out = new Float32Array(values.length);
  for (let first = 0; first < n; first += TILE) {
    const last = Math.min(n, first + TILE);
    for (let v = 0; v < V; v++) {
      for (let i = first, to = v * n + first; i < last; i++, to++) out[to] = values[i * V + v];
    }
  }
  return out;
}

const TILE = 64;

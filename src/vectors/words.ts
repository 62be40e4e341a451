import { factor } from '../math/linear.ts';
import { HALF } from '../search/tables.ts';

/**
 * The words (16 halves x V) whose sums come closest to the vectors, given which of them each vector has chosen: the
 * least-squares fit of W in x = W f(e), where f(e) has a one for the value of each half byte of the code, with a ridge.
 */
export function fitWords(vectors: Float32Array, V: number, chosen: Uint8Array, halves: number): Float32Array {
  const K = HALF * halves;
  const n = chosen.length / halves;
  const together = new Float64Array(K * K);
  const sums = new Float64Array(K * V);
  const places = new Uint32Array(halves);
  for (let i = 0; i < n; i++) {
    for (let m = 0; m < halves; m++) places[m] = HALF * m + chosen[i * halves + m];
    for (let m = 0; m < halves; m++) {
      const row = places[m] * K;
      for (let j = 0; j <= m; j++) together[row + places[j]]++;
      const at = places[m] * V;
      for (let v = 0; v < V; v++) sums[at + v] += vectors[i * V + v];
    }
  }
  for (let k = 0; k < K; k++) {
    for (let j = 0; j < k; j++) together[j * K + k] = together[k * K + j];
    together[k * K + k] += RIDGE;
  }
  const L = factor(together, K, 1e-9);
  solveAll(L, sums, K, V);
  return Float32Array.from(sums);
}

/** Vectors that a word counts as if it had been chosen by, being 0: all 16 words of a half may move together otherwise. */
const RIDGE = 1;

/** Solves L L^T Y = B in place, for the V columns of B at once. */
function solveAll(L: Float64Array, B: Float64Array, K: number, V: number): void {
  const subtract = (to: number, from: number, factor: number) => {
    const [a, b] = [to * V, from * V];
    for (let v = 0; v < V; v++) B[a + v] -= factor * B[b + v];
  };
  const divide = (k: number) => {
    const scale = 1 / L[k * K + k];
    for (let v = k * V; v < (k + 1) * V; v++) B[v] *= scale;
  };
  for (let k = 0; k < K; k++) {
    for (let j = 0; j < k; j++) subtract(k, j, L[k * K + j]);
    divide(k);
  }
  for (let k = K - 1; k >= 0; k--) {
    for (let j = k + 1; j < K; j++) subtract(k, j, L[j * K + k]);
    divide(k);
  }
}

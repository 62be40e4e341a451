import { symmetricEigen } from '../math/eigen.ts';
import { orthonormalise } from '../math/linear.ts';

/** Directions at right angles, one after the other (count x V), and the mean squares along them, the largest first. */
export interface Axes {
  readonly axes: Float64Array;
  readonly variances: Float64Array;
}

/**
 * The directions along which vectors are longest, 128 of them or V: the space that some of the vectors span is turned
 * towards them by subspace iteration, and within it eigenvectors are found.
 */
export function principalAxes(vectors: Float32Array, V: number): Axes {
  const n = Math.min(vectors.length / V, Math.max(MOST_AXES, Math.floor(ENTRIES / V)));
  const count = Math.min(V, MOST_AXES);
  const basis = new Float64Array(V * count);
  if (count === V) for (let v = 0; v < V; v++) basis[v * V + v] = 1;
  else {
    for (let d = 0; d < count; d++) {
      const at = (d % n) * V;
      for (let v = 0; v < V; v++) basis[v * count + d] = vectors[at + v];
    }
    orthonormalise(basis, V, count);
  }
  for (let turn = 0; count < V && turn < TURNS; turn++) {
    basis.set(transposedTimes(vectors, times(vectors, basis, n, V, count), n, V, count));
    orthonormalise(basis, V, count);
  }
  const parts = times(vectors, basis, n, V, count);
  const { values, vectors: turns } = symmetricEigen(transposedTimes(parts, parts, n, count, count), count);
  const axes = new Float64Array(count * V);
  for (let a = 0; a < count; a++) {
    for (let d = 0; d < count; d++) {
      const share = turns[a * count + d];
      for (let v = 0; v < V; v++) axes[a * V + v] += share * basis[v * count + d];
    }
  }
  return { axes, variances: values.map((value) => Math.max(0, value) / n) };
}

const MOST_AXES = 128;
const TURNS = 6;
/** Numbers of the vectors that are looked at. */
const ENTRIES = 2 ** 21;

type Numbers = Float32Array | Float64Array;

/** A B, for A of n x V and B of V x count. */
function times(A: Numbers, B: Float64Array, n: number, V: number, count: number): Float64Array {
  const out = new Float64Array(n * count);
  for (let i = 0; i < n; i++) {
    for (let v = 0; v < V; v++) {
      const a = A[i * V + v];
      for (let d = 0; d < count; d++) out[i * count + d] += a * B[v * count + d];
    }
  }
  return out;
}

/** A^T B, for A of n x V and B of n x count. */
function transposedTimes(A: Numbers, B: Float64Array, n: number, V: number, count: number): Float64Array {
  const out = new Float64Array(V * count);
  for (let i = 0; i < n; i++) {
    for (let v = 0; v < V; v++) {
      const a = A[i * V + v];
      for (let d = 0; d < count; d++) out[v * count + d] += a * B[i * count + d];
    }
  }
  return out;
}

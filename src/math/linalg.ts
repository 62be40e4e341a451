/**
 * Solves A z = b for a symmetric positive definite A of order b.length, by Cholesky's A = L L^T.
 * Returns undefined when A is not (numerically) positive definite.
 */
export function choleskySolve(A: Float64Array, b: Float64Array): Float64Array | undefined {
  const H = b.length;
  const L = cholesky(A, H);
  if (!L) return undefined;
  const z = Float64Array.from(b);
  for (let i = 0; i < H; i++) {
    for (let k = 0; k < i; k++) z[i] -= L[i * H + k] * z[k];
    z[i] /= L[i * H + i];
  }
  for (let i = H - 1; i >= 0; i--) {
    for (let k = i + 1; k < H; k++) z[i] -= L[k * H + i] * z[k];
    z[i] /= L[i * H + i];
  }
  return z;
}

/** The lower triangular factor of A, or undefined where a pivot is not positive. */
export function cholesky(A: Float64Array, H: number): Float64Array | undefined {
  const L = new Float64Array(H * H);
  for (let i = 0; i < H; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = A[i * H + j];
      for (let k = 0; k < j; k++) sum -= L[i * H + k] * L[j * H + k];
      if (j < i) L[i * H + j] = sum / L[j * H + j];
      else if (sum > 0) L[i * H + i] = Math.sqrt(sum);
      else return undefined;
    }
  }
  return L;
}

import { cholesky } from './linalg.ts';

/**
 * The inverse of a symmetric positive definite matrix, by Cholesky. `jitter`, relative to the mean of the
 * diagonal, is added to the diagonal and grown until the factorisation succeeds: units may be dependent while
 * they learn.
 */
export function inverse(S: Float64Array, size: number, jitter: number): Float64Array {
  const L = factor(S, size, jitter);
  const inverted = invertLower(L, size);
  const out = new Float64Array(size * size);
  for (let i = 0; i < size; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = 0;
      for (let k = i; k < size; k++) sum += inverted[k * size + i] * inverted[k * size + j];
      out[i * size + j] = sum;
      out[j * size + i] = sum;
    }
  }
  return out;
}

/** The inverse has to fit a float32, however small the weights are that S is made of. */
const LEAST_UNIT = 1e-24;

/** The Cholesky factor of S, its diagonal raised as little as needed. */
export function factor(S: Float64Array, size: number, jitter: number): Float64Array {
  let trace = 0;
  for (let i = 0; i < size; i++) trace += S[i * size + i];
  const unit = trace > 0 ? Math.max(trace / size, LEAST_UNIT) : 1;
  for (let ridge = jitter; ; ridge = Math.max(ridge * 10, 1e-12)) {
    const raised = Float64Array.from(S);
    for (let i = 0; i < size; i++) raised[i * size + i] += ridge * unit;
    const L = cholesky(raised, size);
    if (L) return L;
    if (!(ridge < 1e6))
      throw new RangeError(
        'the curvature of the loss is not finite: weights or codes are too large (in learning, lower the rate or raise ridge)',
      );
  }
}

export function invertLower(L: Float64Array, size: number): Float64Array {
  const out = new Float64Array(size * size);
  for (let j = 0; j < size; j++) {
    out[j * size + j] = 1 / L[j * size + j];
    for (let i = j + 1; i < size; i++) {
      let sum = 0;
      for (let k = j; k < i; k++) sum -= L[i * size + k] * out[k * size + j];
      out[i * size + j] = sum / L[i * size + i];
    }
  }
  return out;
}

/** Rows of `width` numbers times each row of a matrix of as many, X M^T in float32: rows of products. */
export function timesRows(rows: Float32Array, matrix: Float64Array, width: number): Float32Array {
  const n = rows.length / width;
  const count = matrix.length / width;
  const out = new Float32Array(n * count);
  for (let i = 0; i < n; i++) {
    for (let a = 0; a < count; a++) {
      let sum = 0;
      for (let h = 0; h < width; h++) sum += matrix[a * width + h] * rows[i * width + h];
      out[i * count + a] = sum;
    }
  }
  return out;
}

/**
 * Makes the `width` columns of A (count x width) orthonormal, in place (Gram and Schmidt, twice for
 * accuracy).
 */
export function orthonormalise(A: Float64Array, count: number, width: number): void {
  // Within A the numbers of a column lie far apart, and memory would be waited for.
  const columns = Array.from({ length: width }, (_, j) =>
    Float64Array.from({ length: count }, (_, i) => A[i * width + j]),
  );
  columns.forEach((column, j) => {
    for (let pass = 0; pass < 2; pass++) {
      for (const before of columns.slice(0, j)) {
        let overlap = 0;
        for (let i = 0; i < count; i++) overlap += before[i] * column[i];
        for (let i = 0; i < count; i++) column[i] -= overlap * before[i];
      }
    }
    let norm = 0;
    for (let i = 0; i < count; i++) norm += column[i] ** 2;
    // A column that the others span already carries no direction of its own.
    const scale = norm > 1e-24 ? 1 / Math.sqrt(norm) : 0;
    for (let i = 0; i < count; i++) {
      column[i] *= scale;
      A[i * width + j] = column[i];
    }
  });
}

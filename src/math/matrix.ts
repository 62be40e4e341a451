/**
 * A matrix of float64, row after row. Rows are examples or bits: X is n x V and E is n x H, the transposes of
 * the paper's, so that an example is one contiguous row; W and B are V x H as in the paper.
 */
export interface Matrix {
  readonly rows: number;
  readonly cols: number;
  readonly data: Float64Array;
}

/** A matrix of the given shape: zeros, or the numbers given. */
export function matrix(rows: number, cols: number, data?: ArrayLike<number>): Matrix {
  if (data && data.length !== rows * cols) {
    throw new Error(`matrix: ${data.length} numbers given for ${rows} x ${cols} = ${rows * cols} entries`);
  }
  return { rows, cols, data: data ? Float64Array.from(data) : new Float64Array(rows * cols) };
}

/** Row i, as a view. */
export function row(A: Matrix, i: number): Float64Array {
  return A.data.subarray(i * A.cols, (i + 1) * A.cols);
}

export function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += a[k] * b[k];
  return sum;
}

/** A z, one number a row. */
export function times(A: Matrix, z: Float64Array): Float64Array {
  return Float64Array.from({ length: A.rows }, (_, k) => dot(row(A, k), z));
}

/** A^T u, one number a column. */
export function transposeTimes(A: Matrix, u: Float64Array): Float64Array {
  const out = new Float64Array(A.cols);
  for (let k = 0; k < A.rows; k++) {
    const a = row(A, k);
    for (let h = 0; h < A.cols; h++) out[h] += a[h] * u[k];
  }
  return out;
}

/** A C^T: the scores W E^T of every bit against every code, transposed to n x V when called as (E, W). */
export function timesTranspose(A: Matrix, C: Matrix): Matrix {
  const out = matrix(A.rows, C.rows);
  for (let i = 0; i < A.rows; i++) {
    for (let j = 0; j < C.rows; j++) out.data[i * C.rows + j] = dot(row(A, i), row(C, j));
  }
  return out;
}

/** Eigenvalues in falling order and the eigenvectors that go with them, one per row. */
interface Eigen {
  readonly values: Float64Array;
  readonly vectors: Float64Array;
}

/**
 * The eigenvectors of a symmetric matrix by Jacobi's rotations: each removes one off-diagonal pair, and
 * sweeps over all pairs converge quadratically. Plain, accurate, and quick enough for the few hundred rows we
 * meet.
 */
export function symmetricEigen(S: ArrayLike<number>, size: number): Eigen {
  const A = Float64Array.from({ length: size * size }, (_, i) => S[i]);
  const Q = new Float64Array(size * size);
  for (let i = 0; i < size; i++) Q[i * size + i] = 1;
  for (let sweep = 0; sweep < 30 && offDiagonal(A, size) > 1e-13; sweep++) {
    for (let p = 0; p < size; p++) for (let q = p + 1; q < size; q++) rotate(A, Q, size, p, q);
  }
  const order = Array.from({ length: size }, (_, i) => i);
  order.sort((i, j) => A[j * size + j] - A[i * size + i]);
  const values = Float64Array.from(order, (i) => A[i * size + i]);
  const vectors = new Float64Array(size * size);
  order.forEach((from, to) => {
    vectors.set(Q.subarray(from * size, (from + 1) * size), to * size);
  });
  return { values, vectors };
}

/** The share of the matrix's square that is off the diagonal. */
function offDiagonal(A: Float64Array, size: number): number {
  let off = 0;
  let all = 0;
  for (let i = 0; i < size; i++) {
    for (let j = 0; j < size; j++) {
      const square = A[i * size + j] ** 2;
      all += square;
      if (i !== j) off += square;
    }
  }
  return all > 0 ? off / all : 0;
}

/** The rotation in the plane of p and q that makes A[p][q] zero; the rows of Q gather the eigenvectors. */
function rotate(A: Float64Array, Q: Float64Array, size: number, p: number, q: number): void {
  const apq = A[p * size + q];
  if (apq === 0) return;
  const theta = (A[q * size + q] - A[p * size + p]) / (2 * apq);
  const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
  const c = 1 / Math.sqrt(t * t + 1);
  const s = t * c;
  const [P, R] = [p * size, q * size];
  const [app, aqq] = [A[P + p], A[R + q]];
  // A stays symmetric: what becomes of the two rows becomes of the two columns.
  for (let k = 0; k < size; k++) {
    const pk = A[P + k];
    const qk = A[R + k];
    const inP = c * pk - s * qk;
    const inQ = s * pk + c * qk;
    A[P + k] = inP;
    A[R + k] = inQ;
    A[k * size + p] = inP;
    A[k * size + q] = inQ;
    const vp = Q[P + k];
    const vq = Q[R + k];
    Q[P + k] = c * vp - s * vq;
    Q[R + k] = s * vp + c * vq;
  }
  // Where rows and columns meet, the turn has done its work.
  A[P + p] = app - t * apq;
  A[R + q] = aqq + t * apq;
  A[P + q] = 0;
  A[R + p] = 0;
}

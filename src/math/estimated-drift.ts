import { chiSquareQuantile } from './chi-square.ts';
import { boxOfDrifts, type DriftSet, ellipsoidOfDrifts } from './drift-sets.ts';
import { cholesky } from './linalg.ts';
import { type Matrix, matrix, row } from './matrix.ts';

/**
 * How far the correlations of a bit that were measured on some rows may be from those of the rows' source:
 * sets that hold the difference with this confidence, by the central limit theorem. x is the bit of n
 * independent rows, E their codes (n x H). For V bits at once, ask for a confidence of
 * 1 - (1 - confidence) / V.
 *
 * The ellipsoid uses how the errors of the correlations hang together, n d^T C^-1 d <= chi-square with C the
 * covariance of x e over the rows; the box holds each of them on its own, and is larger where H is.
 */
export function driftEllipsoid(x: ArrayLike<number>, E: Matrix, confidence: number): DriftSet {
  const { rows: n, cols: H } = E;
  const C = covariance(x, E);
  const trace = Array.from({ length: H }, (_, h) => C[h * H + h]).reduce((sum, value) => sum + value, 0);
  // Units that are constant, or the same, leave C without an inverse; the trace of a ridge does not show.
  for (let h = 0; h < H; h++) C[h * H + h] += 1e-12 * trace + Number.MIN_VALUE;
  const root = cholesky(C, H);
  if (!root) throw new RangeError('driftEllipsoid: the products of bit and codes have no covariance');
  const radius = Math.sqrt(chiSquareQuantile(confidence, H) / n);
  const S = matrix(H, H);
  // C = L L^T, and sigma_U(w) = radius |L^T w|.
  for (let i = 0; i < H; i++) for (let j = 0; j <= i; j++) row(S, j)[i] = radius * root[i * H + j];
  return ellipsoidOfDrifts(S);
}

/** The same for each correlation on its own, all of them at once: Bonferroni over the units. */
export function driftBox(x: ArrayLike<number>, E: Matrix, confidence: number): DriftSet {
  const { rows: n, cols: H } = E;
  const C = covariance(x, E);
  const quantile = chiSquareQuantile(1 - (1 - confidence) / H, 1);
  return boxOfDrifts(Float64Array.from({ length: H }, (_, h) => Math.sqrt((quantile * C[h * H + h]) / n)));
}

/** The covariance of x e over the rows, H x H. */
function covariance(x: ArrayLike<number>, E: Matrix): Float64Array {
  const { rows: n, cols: H } = E;
  if (n <= H)
    throw new RangeError(
      `the errors of ${H} correlations cannot be estimated from ${n} rows: more are needed`,
    );
  const mean = new Float64Array(H);
  for (let i = 0; i < n; i++) for (let h = 0; h < H; h++) mean[h] += (x[i] * row(E, i)[h]) / n;
  const C = new Float64Array(H * H);
  for (let i = 0; i < n; i++) {
    const e = row(E, i);
    for (let h = 0; h < H; h++) {
      const away = x[i] * e[h] - mean[h];
      for (let k = 0; k <= h; k++) C[h * H + k] += (away * (x[i] * e[k] - mean[k])) / (n - 1);
    }
  }
  for (let h = 0; h < H; h++) for (let k = 0; k < h; k++) C[k * H + h] = C[h * H + k];
  return C;
}

import type { Loss } from '../losses/loss.ts';
import { type Matrix, matrix, row, timesTranspose } from './matrix.ts';

/**
 * B = (1/n) X E^T in the paper's orientation: b_vh is the mean of x_v e_h (Sec. 1.1). X is n x V, E n x H.
 */
export function correlations(X: Matrix, E: Matrix): Matrix {
  const B = matrix(X.cols, E.cols);
  for (let i = 0; i < X.rows; i++) {
    const [x, e] = [row(X, i), row(E, i)];
    for (let v = 0; v < X.cols; v++) {
      for (let h = 0; h < E.cols; h++) B.data[v * E.cols + h] += (x[v] * e[h]) / X.rows;
    }
  }
  return B;
}

/** The hallucinated data Psi'(W E), n x V (App. A.2.1). */
export function hallucinatedData(loss: Loss, W: Matrix, E: Matrix): Matrix {
  const M = timesTranspose(E, W);
  return matrix(
    M.rows,
    M.cols,
    M.data.map((m) => loss.psiPrime(m)),
  );
}

/** The hallucinated correlations (1/n) Psi'(W E) E^T, V x H; equal to B at the optimal W (App. A.2.2). */
export function hallucinatedCorrelations(loss: Loss, W: Matrix, E: Matrix): Matrix {
  return correlations(hallucinatedData(loss, W, E), E);
}

/** The residuals R = hallucinated data - X, n x V (App. A.2.1). */
export function residuals(loss: Loss, W: Matrix, E: Matrix, X: Matrix): Matrix {
  const R = hallucinatedData(loss, W, E);
  for (let k = 0; k < R.data.length; k++) R.data[k] -= X.data[k];
  return R;
}

/**
 * G = (1/n) W^T R, one row for each example (App. A.2.1): the gradient of (1/n) sum_i sum_v beta_v, which is
 * twice the gradient of L(W, E) because of the half in Eq. (4).
 */
export function encodingGradient(loss: Loss, W: Matrix, E: Matrix, X: Matrix): Matrix {
  const R = residuals(loss, W, E, X);
  const G = matrix(E.rows, E.cols);
  for (let i = 0; i < E.rows; i++) {
    const [r, g] = [row(R, i), row(G, i)];
    for (let v = 0; v < W.rows; v++) {
      const w = row(W, v);
      for (let h = 0; h < E.cols; h++) g[h] += (w[h] * r[v]) / E.rows;
    }
  }
  return G;
}

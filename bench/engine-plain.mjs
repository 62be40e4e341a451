import { stepsPerSecond } from './engine-clock.mjs';

/** The same steps in plain JavaScript on Float32Array, with 4 x 4 accumulators in local variables. */
export function plainContestant() {
  const problems = new Map();
  return {
    name: 'plain JavaScript',
    async measure(task) {
      const { V, H, n, side } = task;
      const key = `${V},${H},${n},${side}`;
      if (!problems.has(key)) {
        const random = (length) => Float32Array.from({ length }, () => Math.random() - 0.5);
        // Decoding is encoding with the factors exchanged: rows of A are held, columns of Z move.
        const [K, columns] = side === 'encode' ? [V, n] : [n, V];
        const [A, Z] = [random(K * H), random(H * columns)];
        const X = Float32Array.from({ length: K * columns }, () => (Math.random() < 0.5 ? -1 : 1));
        const At = new Float32Array(H * K);
        for (let k = 0; k < K; k++) for (let h = 0; h < H; h++) At[h * K + k] = A[k * H + h];
        problems.set(key, { A, At, Z, X, K, H, columns, M: new Float32Array(K * columns) });
      }
      const problem = problems.get(key);
      return stepsPerSecond(task, 1, () => step(problem));
    },
  };
}

function step({ A, At, Z, X, M, K, H, columns }) {
  multiply(A, Z, M, K, H, columns);
  for (let i = 0; i < M.length; i++) M[i] = Math.tanh(0.5 * M[i]) - X[i];
  const G = new Float32Array(H * columns);
  multiply(At, M, G, H, K, columns);
  for (let i = 0; i < G.length; i++) Z[i] = Math.max(-1, Math.min(1, Z[i] - 0.01 * G[i]));
}

/** C (rows x columns) = A (rows x inner) B (inner x columns). */
function multiply(A, B, C, rows, inner, columns) {
  for (let i = 0; i + 4 <= rows; i += 4) {
    for (let j = 0; j < columns; j += 4) {
      if (j + 4 > columns) j = columns - 4;
      tile(A, B, C, i, j, inner, columns);
    }
  }
  for (let i = rows & ~3; i < rows; i++) {
    for (let j = 0; j < columns; j++) {
      let sum = 0;
      for (let k = 0; k < inner; k++) sum += A[i * inner + k] * B[k * columns + j];
      C[i * columns + j] = sum;
    }
  }
}

function tile(A, B, C, i, j, inner, columns) {
  let [a, b, c, d, e, f, g, h, p, q, r, s, t, u, v, w] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
  let [i0, i1, i2, i3] = [i * inner, (i + 1) * inner, (i + 2) * inner, (i + 3) * inner];
  let at = j;
  for (let k = 0; k < inner; k++, at += columns) {
    const [b0, b1, b2, b3] = [B[at], B[at + 1], B[at + 2], B[at + 3]];
    const a0 = A[i0++];
    a += a0 * b0;
    b += a0 * b1;
    c += a0 * b2;
    d += a0 * b3;
    const a1 = A[i1++];
    e += a1 * b0;
    f += a1 * b1;
    g += a1 * b2;
    h += a1 * b3;
    const a2 = A[i2++];
    p += a2 * b0;
    q += a2 * b1;
    r += a2 * b2;
    s += a2 * b3;
    const a3 = A[i3++];
    t += a3 * b0;
    u += a3 * b1;
    v += a3 * b2;
    w += a3 * b3;
  }
  C.set([a, b, c, d], i * columns + j);
  C.set([e, f, g, h], (i + 1) * columns + j);
  C.set([p, q, r, s], (i + 2) * columns + j);
  C.set([t, u, v, w], (i + 3) * columns + j);
}

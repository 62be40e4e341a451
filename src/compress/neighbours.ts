import { inPieces, type Steps } from '../rows/breath.ts';

/**
 * Which earlier columns each column should listen to: those whose residuals x - p go with its own most closely,
 * measured on a sample of the rows.
 */
export interface Residuals {
  readonly V: number;
  /** Rows in the sample. */
  readonly n: number;
  /** V x n: the residuals of one column after the other. */
  readonly values: Float32Array;
}

/** V x K columns, strongest first; v itself where there are too few. A step for each column. */
export function* chooseNeighbours(residuals: Residuals, K: number): Steps<Int32Array> {
  const { V, n, values } = residuals;
  const chosen = new Int32Array(V * K);
  const best = new Float64Array(K);
  const norms = Float64Array.from({ length: V }, (_, v) => {
    const r = values.subarray(v * n, (v + 1) * n);
    // Columns that hardly ever surprise go with anything by chance: count them as a little livelier.
    return Math.sqrt(dot(r, r) + 0.01 * n);
  });
  yield* inPieces(V, 1, (v) => {
    const r = values.subarray(v * n, (v + 1) * n);
    const row = chosen.subarray(v * K, (v + 1) * K).fill(v);
    best.fill(0);
    for (let u = 0; u < v; u++) {
      const strength = Math.abs(dot(r, values.subarray(u * n, (u + 1) * n))) / norms[u];
      if (strength <= best[K - 1]) continue;
      let k = K - 1;
      for (; k > 0 && best[k - 1] < strength; k--) {
        best[k] = best[k - 1];
        row[k] = row[k - 1];
      }
      best[k] = strength;
      row[k] = u;
    }
  });
  return chosen;
}

function dot(a: Float32Array, b: Float32Array): number {
  let s0 = 0;
  let s1 = 0;
  for (let i = 0; i + 1 < a.length; i += 2) {
    s0 += a[i] * b[i];
    s1 += a[i + 1] * b[i + 1];
  }
  return a.length & 1 ? s0 + s1 + a[a.length - 1] * b[a.length - 1] : s0 + s1;
}

import { asRows } from '../src/rows/input.ts';
import { entry, type Rows } from '../src/rows/rows.ts';
import { gaussians } from '../src/solvers/gaussians.ts';

/** Rows of V bits, each of which depends on the same three numbers of its row and on chance. */
export function lowRankRows(n: number, V: number, seed: number): Rows {
  const [Z, U, b] = [gaussians(3 * n, seed), gaussians(3 * V, seed + 1), gaussians(V, seed + 2)];
  const noise = gaussians(n * V, seed + 3);
  const data = Uint8Array.from({ length: n * V }, (_, k) => {
    const [i, v] = [Math.floor(k / V), k % V];
    let m = b[v];
    for (let h = 0; h < 3; h++) m += 1.5 * Z[3 * i + h] * U[3 * v + h];
    return m + 1.6 * noise[k] > 0 ? 1 : 0;
  });
  return asRows({ data, n, V });
}

/** Nats of an entry known in `truth`, in the mean, when bits have these means (n x V). */
export function entryNats(truth: Rows, means: ArrayLike<number>): number {
  let [sum, count] = [0, 0];
  for (let i = 0; i < truth.n; i++) {
    for (let v = 0; v < truth.V; v++) {
      const x = entry(truth, i, v);
      if (Number.isNaN(x)) continue;
      sum -= Math.log(Math.max(1e-9, (1 + x * means[i * truth.V + v]) / 2));
      count++;
    }
  }
  return sum / count;
}

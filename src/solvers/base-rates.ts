import type { Loss } from '../losses/loss.ts';
import { entry, type Rows } from '../rows/rows.ts';

/** What rows and columns count, where not all count alike. */
export interface Weights {
  readonly rowWeights?: ArrayLike<number>;
  readonly columnWeights?: ArrayLike<number>;
}

/**
 * The summed loss of reconstructions that know nothing of a row, only how often each bit is on among `known`: what a
 * code has to beat. Means are kept away from certainty by half a row.
 */
export function baseRateLoss(known: Rows, rows: Rows, loss: Loss, weights: Weights = {}): number {
  const { V } = rows;
  const { rowWeights, columnWeights } = weights;
  const sums = new Float64Array(V);
  const counts = new Float64Array(V).fill(1);
  eachEntry(known, (i, v, x) => {
    const weight = rowWeights?.[i] ?? 1;
    sums[v] += weight * x;
    counts[v] += weight;
  });
  const plus = sums.map((sum, v) => loss.plus(sum / counts[v]));
  const minus = sums.map((sum, v) => loss.minus(sum / counts[v]));
  let total = 0;
  eachEntry(rows, (i, v, x) => {
    const weight = (rowWeights?.[i] ?? 1) * (columnWeights?.[v] ?? 1);
    total += 0.5 * weight * ((1 + x) * plus[v] + (1 - x) * minus[v]);
  });
  return total;
}

function eachEntry(rows: Rows, visit: (i: number, v: number, x: number) => void): void {
  for (let i = 0; i < rows.n; i++) {
    for (let v = 0; v < rows.V; v++) {
      const x = entry(rows, i, v);
      if (!Number.isNaN(x)) visit(i, v, x);
    }
  }
}

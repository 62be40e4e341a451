import type { PCAE } from '../model/model.ts';
import { entry, type Rows } from '../rows/rows.ts';

/**
 * The mean loss per row of a reconstruction that knows nothing of the row, only how often each bit is on among
 * `known`: what a code has to beat. Means are kept away from certainty by half a row.
 */
export function baseRateLoss(known: Rows, rows: Rows, loss: PCAE['reconstructionLoss']): number {
  const { V } = rows;
  const sums = new Float64Array(V);
  const counts = new Float64Array(V).fill(1);
  eachEntry(known, (v, x) => {
    sums[v] += x;
    counts[v]++;
  });
  const plus = sums.map((sum, v) => loss.plus(sum / counts[v]));
  const minus = sums.map((sum, v) => loss.minus(sum / counts[v]));
  let total = 0;
  eachEntry(rows, (v, x) => {
    total += 0.5 * ((1 + x) * plus[v] + (1 - x) * minus[v]);
  });
  return total / rows.n;
}

function eachEntry(rows: Rows, visit: (v: number, x: number) => void): void {
  for (let i = 0; i < rows.n; i++) {
    for (let v = 0; v < rows.V; v++) {
      const x = entry(rows, i, v);
      if (!Number.isNaN(x)) visit(v, x);
    }
  }
}

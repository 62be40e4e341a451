import { entry, type Rows } from 'pc-ae/rows';
import type { Smooth } from './optimisers.ts';

/** L(W, E) of Eq. (4) for cross-entropy, without a bias unit, as a function of the side to minimise over. */
interface Objective {
  /** Of E, n x H, at these weights. */
  ofCodes(W: Float64Array): Smooth;
  /** Of W, V x H, at these codes. */
  ofWeights(E: Float64Array): Smooth;
}

export function objectiveOf(rows: Rows, H: number): Objective {
  const { n, V } = rows;
  const X = Float64Array.from({ length: n * V }, (_, k) => entry(rows, Math.floor(k / V), k % V));
  return {
    ofCodes: (W) => (E, G) => walk(W, E, G, undefined),
    ofWeights: (E) => (W, G) => walk(W, E, undefined, G),
  };

  /** The value in nats per row; adds up the gradient of the side that is asked for. */
  function walk(W: Float64Array, E: Float64Array, GE?: Float64Array, GW?: Float64Array): number {
    GE?.fill(0);
    GW?.fill(0);
    let sum = 0;
    for (let i = 0; i < n; i++) {
      for (let v = 0; v < V; v++) {
        let m = 0;
        for (let h = 0; h < H; h++) m += W[v * H + h] * E[i * H + h];
        const x = X[i * V + v];
        const away = Math.exp(-Math.abs(m));
        sum += Math.abs(m) / 2 + Math.log1p(away) - (x * m) / 2;
        const slope = ((1 - away) / (1 + away)) * Math.sign(m);
        const r = (slope - x) / (2 * n);
        if (GE) for (let h = 0; h < H; h++) GE[i * H + h] += r * W[v * H + h];
        if (GW) for (let h = 0; h < H; h++) GW[v * H + h] += r * E[i * H + h];
      }
    }
    return sum / n;
  }
}

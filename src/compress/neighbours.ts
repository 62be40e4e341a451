import { inPieces, type Steps } from '../rows/breath.ts';
import { keepHighest } from '../rows/highest.ts';
import type { BitColumns } from './bit-columns.ts';

/** Statistics of pairs of columns, in whole numbers and quotients, so that both sides find the same. */
export interface Listening {
  /** V x NEIGHBOURS earlier columns, strongest first; v itself where there are too few. */
  readonly neighbours: Int32Array;
  /** The commoner value of each column. */
  readonly usual: Uint8Array;
  /** The mean number of columns per row that are not as usual. */
  readonly unusual: number;
}

/** Earlier columns whose pattern is counted for each column. */
export const NEIGHBOURS = 10;

/** The neighbours of a column are those that correlate with it most in the rows seen. */
export function* listen(past: BitColumns): Steps<Listening> {
  const { V, n, ones } = past;
  const neighbours = new Int32Array(V * NEIGHBOURS);
  const best = new Float64Array(NEIGHBOURS);
  yield* inPieces(V, 1, (v) => {
    const chosen = neighbours.subarray(v * NEIGHBOURS, (v + 1) * NEIGHBOURS).fill(v);
    best.fill(0);
    for (let u = 0; u < v; u++) {
      const covariance = n * past.both(u, v) - ones[u] * ones[v];
      // Columns that hardly ever change go with anything by chance: count them as a little livelier.
      const strength = (covariance * covariance) / (ones[u] * (n - ones[u]) + 0.01 * n * n);
      keepHighest(best, chosen, strength, u);
    }
  });
  let unusual = 0;
  const usual = Uint8Array.from(ones, (count) => {
    unusual += Math.min(count, n - count);
    return 2 * count > n ? 1 : 0;
  });
  return { neighbours, usual, unusual: unusual / n };
}

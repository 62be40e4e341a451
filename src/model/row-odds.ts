import { type Decoding, evenOdds } from '../promises/ceiling.ts';
import { entry, type Rows } from '../rows/rows.ts';

/** The loss of each row when its known entries are guessed at even odds. */
export function rowOdds(decoding: Decoding, rows: Rows): Float64Array {
  const all = evenOdds(decoding);
  const odds = new Float64Array(rows.n).fill(all);
  if (rows.kind === 'bits' && !rows.known) return odds;
  const each = 0.5 * decoding.reconstructionLoss.psi(0);
  return odds.map((_, i) => {
    let missing = 0;
    for (let v = 0; v < rows.V; v++) {
      if (Number.isNaN(entry(rows, i, v))) missing += decoding.columnWeights?.[v] ?? 1;
    }
    return all - each * missing;
  });
}

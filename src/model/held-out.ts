import { type Rows, takeRows } from '../rows/rows.ts';
import { holdOut } from '../rows/split.ts';
import { checkedRowWeights } from '../training/training-set.ts';

/** Rows, and what each of them counts where not all count alike. */
export interface CountedRows {
  readonly rows: Rows;
  readonly rowWeights?: Float64Array;
}

/** Rows to learn from and a share of them to measure on, with their weights; rows of weight 0 are in neither part. */
export function holdOutRows(
  call: string,
  { rows, rowWeights }: { readonly rows: Rows; readonly rowWeights?: ArrayLike<number> },
  share: number,
  seed: number,
): { training: CountedRows; held: CountedRows } {
  const weights = rowWeights && checkedRowWeights(rowWeights, rows.n, call);
  const counted = Uint32Array.from({ length: rows.n }, (_, i) => i).filter((i) => weights?.[i] !== 0);
  const part = (chosen: Uint32Array): CountedRows => {
    const order = chosen.map((k) => counted[k]);
    return {
      rows: takeRows(rows, order),
      rowWeights: weights && Float64Array.from(order, (i) => weights[i]),
    };
  };
  const { kept, held } = holdOut(counted.length, share, seed);
  return { training: part(kept), held: part(held) };
}

import type { Loss } from '../losses/loss.ts';
import type { ColumnGroup } from '../rows/about.ts';
import { normaliseGroups } from '../rows/groups.ts';

/**
 * A decoder that also uses other columns of the row. The code gives column v the score m_v = w_v . e + c_v,
 * and the neighbours of v correct it:
 *
 *     score_v  =  own_v m_v + sum_k w_vk x_u(k) + const_v,        u(k) the neighbours of v
 *
 * A missing entry x_u is replaced by its reconstruction. These features have correlations with the bits as
 * codes do, so Thm. 1 gives their weights (docs/mathematics.md).
 */
export interface NeighbourPass {
  /**
   * V x K columns, strongest first; columns with fewer neighbours are filled up with themselves, at weight 0.
   */
  readonly columns: Int32Array;
  /**
   * V x (K + 2): the weights of the neighbours, then those of the column's own score and of the constant 1.
   */
  readonly W: Float32Array;
}

export interface Neighbours {
  readonly K: number;
  /** How far codes are pulled towards 0, the same in use as in learning. */
  readonly shrink: number;
  /** Each pass starts from the entries that the one before filled in. */
  readonly passes: readonly NeighbourPass[];
  /** Mean loss of a hidden entry of the validation rows, and the same without neighbours. */
  readonly entryLoss: number;
  readonly entryLossAlone: number;
}

/** Rows between two passes: what is known of them (NaN: unknown), and the scores of the rest, n x V. */
export interface Partial {
  readonly n: number;
  readonly V: number;
  readonly known: Float32Array;
  readonly scores: Float32Array;
}

/** What reconstructions are made of: how scores become means, and which columns share one answer. */
export interface Link {
  readonly loss: Loss;
  readonly groups?: readonly ColumnGroup[];
}

/** Known entries, and reconstructions in the place of unknown ones: n x V. */
export function filledIn({ V, known, scores }: Partial, { loss, groups }: Link): Float32Array {
  const filled = known.slice();
  for (let k = 0; k < filled.length; k++) if (Number.isNaN(filled[k])) filled[k] = loss.transfer(scores[k]);
  return groups ? normaliseGroups(filled, V, groups) : filled;
}

/** The scores after a pass; those of known entries stay as they are. */
export function listen(pass: NeighbourPass, rows: Partial, filled: Float32Array): Float32Array {
  const { n, V, known, scores } = rows;
  const { columns, W } = pass;
  const K = columns.length / V;
  const out = scores.slice();
  for (let i = 0, at = 0; i < n; i++) {
    for (let v = 0; v < V; v++, at++) {
      if (!Number.isNaN(known[at])) continue;
      const w = v * (K + 2);
      let score = W[w + K] * scores[at] + W[w + K + 1];
      for (let k = 0; k < K; k++) score += W[w + k] * filled[i * V + columns[v * K + k]];
      out[at] = score;
    }
  }
  return out;
}

/** The scores of unknown entries after all passes, and the reconstructions that they make. */
export function complete(neighbours: Pick<Neighbours, 'passes'>, rows: Partial, link: Link): Float32Array {
  let { scores } = rows;
  for (const pass of neighbours.passes) {
    const now = { ...rows, scores };
    scores = listen(pass, now, filledIn(now, link));
  }
  return scores;
}

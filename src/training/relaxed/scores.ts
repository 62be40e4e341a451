import type { Engine } from '../../engine/engine.ts';
import type { RelaxedProblem } from './weights.ts';

/**
 * A known entry of the rows, with what the weights make of its row's code. The same object for every entry.
 */
interface Scored {
  v: number;
  /** w_v . e, in float32. */
  m: number;
  x: number;
  /** Its share in the mean over rows, times the column's weight. */
  weight: number;
  /** The row's code is `codes[at]` to `codes[at + width - 1]`. */
  codes: Float32Array;
  at: number;
}

/** Calls `work` for every known entry. Scores are the same in every pass as long as W and E are. */
export async function eachScore(
  engine: Engine,
  problem: Omit<RelaxedProblem, 'prices'>,
  work: (entry: Readonly<Scored>) => void,
): Promise<void> {
  const { data, shape, W, E, loss } = problem;
  const { V } = shape;
  const width = W.length / V;
  const columnWeights = data.columnWeights?.values;
  for await (const { block, offset, entryAt, rowWeights } of data.blocks()) {
    const rows = rowWeights?.values;
    for (let start = 0; start < block.n; start += CHUNK) {
      const end = Math.min(block.n, start + CHUNK);
      const range = { start: offset + start, end: offset + end };
      const scores = await engine.decode({ W, E, shape, range, loss }, 'scores');
      const codes = await E.read(range.start * width, range.end * width);
      const found: Scored = { v: 0, m: 0, x: 0, weight: 0, codes, at: 0 };
      for (let i = start; i < end; i++) {
        await engine.turn();
        found.at = (i - start) * width;
        const share = (rows?.[i] ?? 1) / data.n;
        for (let v = 0; v < V; v++) {
          found.x = entryAt(i, v);
          if (Number.isNaN(found.x)) continue;
          found.v = v;
          found.m = scores[(i - start) * V + v];
          found.weight = share * (columnWeights?.[v] ?? 1);
          work(found);
        }
      }
    }
  }
}

const CHUNK = 4096;

import type { Engine } from '../engine/engine.ts';
import type { PCAE } from '../model/model.ts';
import { entriesOf } from '../rows/entries.ts';
import { type RowsInput, readRows } from '../rows/input.ts';
import { entry, type Rows, sliceRows } from '../rows/rows.ts';
import type { Graph } from './graph.ts';
import { runGraph } from './run-graph.ts';

/** How much more the codes of a graph cost than the best codes, per row, in the unit of the loss. */
export interface EncoderAccuracy {
  /** Number of rows that it was measured on. */
  readonly n: number;
  /** Mean loss at the best codes, for comparison. */
  readonly loss: number;
  /** Mean and maximum over rows of the loss above the certified lower bound of what any code can reach. */
  readonly excess: { readonly mean: number; readonly max: number };
}

export async function measureEncoder(
  model: PCAE,
  graph: Graph,
  heldOut: RowsInput,
  engine?: Engine,
): Promise<EncoderAccuracy> {
  const rows = await readRows(heldOut, 'heldOut', model.schema);
  const best = await model.encode(rows, { tolerance: TOLERANCE, engine });
  let [loss, mean, max] = [0, 0, 0];
  for (let start = 0; start < rows.n; start += BLOCK) {
    const part = sliceRows(rows, start, Math.min(rows.n, start + BLOCK));
    const { codes } = runGraph(graph, { rows: unitEntries(part) });
    const losses = lossesAt(model, part, codes.data);
    for (let i = 0; i < part.n; i++) {
      if (Number.isNaN(losses[i])) {
        throw new Error(
          `export: held-out row ${start + i + 1} has missing entries; ask for an encoder that takes them (takeMissing: true)`,
        );
      }
      const excess = losses[i] - (best.losses[start + i] - best.gaps[start + i]);
      loss += best.losses[start + i] / rows.n;
      mean += excess / rows.n;
      max = Math.max(max, excess);
    }
  }
  return { n: rows.n, loss, excess: { mean, max } };
}

/**
 * Codes are certified this closely, in the unit of the loss: well below what a graph of a few steps leaves.
 */
const TOLERANCE = 0.001;
/** Rows at a time. */
const BLOCK = 64;

/** Entries 0 to 1 as a graph takes them, NaN where one is missing. */
export function unitEntries(rows: Rows): { rows: number; columns: number; data: Float32Array } {
  return { rows: rows.n, columns: rows.V, data: entriesOf(rows).map((x) => (1 + x) / 2) };
}

/**
 * The loss of each row at a code, (1/2) sum_v [ -x_v m_v + Psi(m_v) ] over known entries (Eq. 5), in float64.
 */
function lossesAt(model: PCAE, rows: Rows, codes: Float32Array): Float64Array {
  const { V, H, W, bias, reconstructionLoss } = model;
  const width = W.length / V;
  return Float64Array.from({ length: rows.n }, (_, i) => {
    let loss = 0;
    for (let v = 0; v < V; v++) {
      const x = entry(rows, i, v);
      if (Number.isNaN(x)) continue;
      let m = bias ? W[v * width + H] : 0;
      for (let h = 0; h < H; h++) m += W[v * width + h] * codes[i * H + h];
      loss += 0.5 * (reconstructionLoss.psi(m) - x * m);
    }
    return loss;
  });
}

import { type Engine, impute, type PCAE } from 'pc-ae';
import { type Rows, takeRows } from 'pc-ae/rows';
import type { Played } from './calls.ts';
import type { DataSet } from './sets.ts';
import { sharesOf } from './shares.ts';

/** The best code of one row by what is known of it, and what the rest of it is likely to be. */
export async function encodeRow(
  model: PCAE,
  values: Float32Array,
  engine: Engine,
  shrink: number,
): Promise<Played> {
  const row: Rows = { kind: 'real', n: 1, V: model.V, values };
  const { codes, losses, gaps } = await model.encode(row, { engine });
  const decoded = sharesOf(model, await model.decode(codes, { engine }));
  const hidden = values.some((x) => Number.isNaN(x));
  const filled = hidden ? (await impute(model, row, { engine, shrink })).values : values;
  return { code: codes, decoded, loss: losses[0], gap: gaps[0], filled: filled.map((x) => (1 + x) / 2) };
}

/** What a code decodes to, and what that costs the entries that are known. */
export async function decodeCode(
  model: PCAE,
  code: Float32Array,
  engine: Engine,
  values?: Float32Array,
): Promise<{ decoded: Float32Array; loss?: number }> {
  const decoded = sharesOf(model, await model.decode(code, { engine }));
  return { decoded, ...(values && { loss: lossAt(model, code, values) }) };
}

/** (1/2) sum_v (Psi(m_v) - x_v m_v) over the known entries, with m = W e. */
function lossAt(model: PCAE, code: Float32Array, values: Float32Array): number {
  const { V, H, W, bias, reconstructionLoss, columnWeights } = model;
  const width = W.length / V;
  let loss = 0;
  for (let v = 0; v < V; v++) {
    if (Number.isNaN(values[v])) continue;
    let m = bias ? W[v * width + H] : 0;
    for (let h = 0; h < H; h++) m += W[v * width + h] * code[h];
    loss += ((columnWeights?.[v] ?? 1) * (reconstructionLoss.psi(m) - values[v] * m)) / 2;
  }
  return loss;
}

/** Rows that say how boldly hidden entries are guessed. */
const SCOUTS = 400;

/** How far codes are drawn towards 0 when entries are hidden: chosen once for a model and rows. */
export class Shrinks {
  readonly #kept = new WeakMap<PCAE, Map<string, Promise<number>>>();

  of(model: PCAE, set: DataSet | undefined, engine: Engine): Promise<number> {
    if (model.calibration?.guesses) return Promise.resolve(model.calibration.guesses.shrink);
    if (!set || model.encoding === 'bits') return Promise.resolve(0);
    const kept = this.#kept.get(model) ?? new Map<string, Promise<number>>();
    this.#kept.set(model, kept);
    const found = kept.get(set.id) ?? this.#choose(model, set, engine);
    kept.set(set.id, found);
    return found;
  }

  async #choose(model: PCAE, { rows }: DataSet, engine: Engine): Promise<number> {
    const step = Math.max(1, Math.floor(rows.n / SCOUTS));
    const chosen = Array.from({ length: Math.min(SCOUTS, rows.n) }, (_, k) => k * step);
    try {
      return (await model.chooseShrink(takeRows(rows, chosen), { engine })).shrink;
    } catch {
      // Codes of some kinds are never drawn towards 0.
      return 0;
    }
  }
}

import type { PCAE } from 'pc-ae';
import { type CodeScores, likelihoodConstants, likelihoodTables, openScores, packCodes } from 'pc-ae/bits';
import type { Engine } from 'pc-ae/engine';
import { type Rows, takeRows } from 'pc-ae/rows';

/**
 * The rows whose codes make a row most likely, as `pcae index` and `pcae search` find them. Made ready once
 * for a model and rows.
 */
export class Likelihoods {
  readonly #kept = new WeakMap<PCAE, WeakMap<Rows, Promise<CodeScores>>>();

  async nearest(model: PCAE, rows: Rows, codes: Float32Array, row: number, count: number, engine: Engine) {
    const kept = this.#kept.get(model) ?? new WeakMap<Rows, Promise<CodeScores>>();
    this.#kept.set(model, kept);
    const ready = kept.get(rows) ?? scored(model, rows, codes, engine);
    kept.set(rows, ready);
    ready.catch(() => kept.delete(rows));
    const scores = await ready;
    const tables = await likelihoodTables(model, takeRows(rows, [row]), { engine });
    const { indices, costs } = await scores.nearest(tables, count);
    return { rows: Array.from(indices), costs: Array.from(costs) };
  }
}

async function scored(model: PCAE, rows: Rows, codes: Float32Array, engine: Engine): Promise<CodeScores> {
  const packed = packCodes(codes, { n: rows.n, H: model.H }, 'lsb');
  return openScores(packed, await likelihoodConstants(model, packed, { engine }));
}

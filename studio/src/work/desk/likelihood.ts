import type { PCAE } from 'pc-ae';
import {
  type BitDecoder,
  type CodeScores,
  likelihoodConstants,
  likelihoodTables,
  likelihoodTemperature,
  openScores,
  packCodes,
} from 'pc-ae/bits';
import { type Rows, sliceRows, takeRows } from 'pc-ae/rows';

/** Codes that are searched by how likely they make a row. */
interface Scored {
  readonly decoder: BitDecoder;
  readonly scores: CodeScores;
}

/** The rows whose codes make a row most likely, as `pcae index` and `pcae search` find them. Made ready once for a model and rows. */
export class Likelihoods {
  readonly #kept = new WeakMap<PCAE, WeakMap<Rows, Promise<Scored>>>();

  async nearest(model: PCAE, rows: Rows, codes: Float32Array, row: number, count: number) {
    const kept = this.#kept.get(model) ?? new WeakMap<Rows, Promise<Scored>>();
    this.#kept.set(model, kept);
    const ready = kept.get(rows) ?? scored(model, rows, codes);
    kept.set(rows, ready);
    ready.catch(() => kept.delete(rows));
    const { decoder, scores } = await ready;
    const { indices, costs } = await scores.nearest(likelihoodTables(decoder, takeRows(rows, [row])), count);
    return { rows: Array.from(indices), costs: Array.from(costs) };
  }
}

async function scored(model: PCAE, rows: Rows, codes: Float32Array): Promise<Scored> {
  const { V, H, W, reconstructionLoss: loss, columnWeights } = model;
  const decoder = { V, H, W, loss, columnWeights };
  const packed = packCodes(codes, { n: rows.n, H }, 'lsb');
  const some = Math.min(rows.n, MOST, Math.max(FEW, Math.floor(ENTRIES / V)));
  const first = packCodes(codes.subarray(0, some * H), { n: some, H }, 'lsb');
  const { temperature } = likelihoodTemperature(decoder, sliceRows(rows, 0, some), first);
  return { decoder, scores: await openScores(packed, likelihoodConstants(decoder, packed, temperature)) };
}

/** Rows that choose the temperature: as many as the command line takes, fewer where they have many columns. */
const MOST = 5000;
const FEW = 300;
const ENTRIES = 2 ** 20;

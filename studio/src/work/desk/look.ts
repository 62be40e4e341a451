import type { Engine, PCAE } from 'pc-ae';
import { permutation, takeRows } from 'pc-ae/rows';
import type { Context } from '../protocol.ts';
import type { Looked, Measured } from './calls.ts';
import { type DataSet, entries, rowName } from './sets.ts';
import { sharesOf } from './shares.ts';

/** Some rows beside what their codes decode to, every column as a bit of its own. */
export async function lookAtBits(
  model: PCAE,
  set: DataSet,
  rows: readonly number[],
  engine: Engine,
): Promise<Looked> {
  const { codes, losses, gaps } = await model.encode(takeRows(set.rows, rows), { engine });
  const decoded = await model.decode(codes, { engine });
  const names = rows.map((i) => rowName(set, i));
  return { rows, names, values: entries(set.rows, rows), decoded, codes, losses, gaps };
}

/**
 * The same for the page: the shares of a category's values add up to one, as `pcae reconstruct` writes them.
 */
export async function look(
  model: PCAE,
  set: DataSet,
  rows: readonly number[],
  engine: Engine,
): Promise<Looked> {
  const looked = await lookAtBits(model, set, rows, engine);
  return { ...looked, decoded: sharesOf(model, looked.decoded) };
}

/** Entries that are counted one by one. */
const COUNTED = 2 ** 21;
const BINS = 10;

/** How well the model does on all rows, and bit by bit on some of them. */
export async function measure(
  model: PCAE,
  set: DataSet,
  engine: Engine,
  { signal, tell }: Context<number>,
): Promise<Measured> {
  const { rows } = set;
  const report = await model.evaluate(rows, { engine, signal, onProgress: tell });
  const counted = Math.min(rows.n, Math.max(100, Math.floor(COUNTED / rows.V)));
  const chosen = Array.from(permutation(rows.n, 1).subarray(0, counted));
  const { values, decoded } = await lookAtBits(model, set, chosen, engine);
  const { n, loss, decodedLoss, lossPerBit, hamming, gap, tolerance, uncertified } = report;
  return {
    ...{ n, loss, decodedLoss, lossPerBit, hamming, tolerance, uncertified },
    ...{ gapMean: gap.mean, gapMax: gap.max },
    ...{ counted: chosen.length, ...countBits(values, decoded, rows.V) },
  };
}

function countBits(values: Float32Array, decoded: Float32Array, V: number): Pick<Measured, 'wrong' | 'bins'> {
  const wrong = new Float64Array(V);
  const known = new Float64Array(V);
  const bins = Array.from({ length: BINS }, () => ({ count: 0, said: 0, true: 0 }));
  for (let k = 0; k < values.length; k++) {
    const x = values[k];
    if (Number.isNaN(x)) continue;
    const p = (1 + decoded[k]) / 2;
    const bin = bins[Math.min(BINS - 1, Math.floor(p * BINS))];
    bin.count++;
    bin.said += p;
    bin.true += (1 + x) / 2;
    known[k % V]++;
    if (x > 0 !== decoded[k] > 0) wrong[k % V]++;
  }
  for (const bin of bins) {
    bin.said /= Math.max(1, bin.count);
    bin.true /= Math.max(1, bin.count);
  }
  return { wrong: Float32Array.from(wrong, (count, v) => count / Math.max(1, known[v])), bins };
}

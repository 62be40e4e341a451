import type { PCAE } from 'pc-ae';
import { nearest, packCodes } from 'pc-ae/bits';
import type { Engine } from 'pc-ae/engine';
import type { FindHow, Found } from './calls.ts';
import { comparable } from './codes.ts';
import { Likelihoods } from './likelihood.ts';
import { type DataSet, entries, rowName } from './sets.ts';

const likelihoods = new Likelihoods();

/**
 * The rows that are most like a row: by likelihood or differing bits, or by distance where codes are numbers.
 */
export async function findNearest(
  model: PCAE,
  set: DataSet,
  codes: Float32Array,
  { row, count, how }: { readonly row: number; readonly count: number; readonly how: FindHow },
  engine: Engine,
): Promise<Found> {
  const { H } = model;
  const code = (i: number) => codes.subarray(i * H, (i + 1) * H);
  const query = code(row);
  const { rows, costs } = await {
    likelihood: () => likelihoods.nearest(model, set.rows, codes, row, count, engine),
    hamming: () => byBits(codes, query, H, count),
    distance: () => byDistance(comparable(model, codes), comparable(model, query), H, count),
  }[model.encoding === 'bits' ? how : 'distance']();
  return {
    ...{ rows, costs },
    names: rows.map((i) => rowName(set, i)),
    differing: rows.map((i) => differing(model, code(i), query)),
    values: entries(set.rows, rows),
    codes: Float32Array.from({ length: rows.length * H }, (_, k) => code(rows[Math.floor(k / H)])[k % H]),
    query: query.slice(),
  };
}

async function byBits(codes: Float32Array, query: Float32Array, H: number, count: number) {
  const packed = packCodes(codes, { n: codes.length / H, H }, 'lsb');
  const { indices, distances } = await nearest(packed, packCodes(query, { n: 1, H }, 'lsb'), count);
  return { rows: Array.from(indices), costs: Array.from(distances) };
}

/** The nearest so far, the least first; of rows equally far the first stays first. */
function byDistance(codes: Float32Array, query: Float32Array, H: number, count: number) {
  const best: { row: number; square: number }[] = [];
  for (let row = 0; row < codes.length / H; row++) {
    let square = 0;
    for (let h = 0; h < H; h++) square += (codes[row * H + h] - query[h]) ** 2;
    if (best.length === count && square >= best[count - 1].square) continue;
    const before = best.findIndex((one) => one.square > square);
    best.splice(before < 0 ? best.length : before, 0, { row, square });
    best.length = Math.min(best.length, count);
  }
  return { rows: best.map(({ row }) => row), costs: best.map(({ square }) => Math.sqrt(square)) };
}

/** Bits that differ; of numbers, those that are apart by more than their typical size. */
function differing(model: PCAE, code: Float32Array, query: Float32Array): number[] {
  const [a, b] = [comparable(model, code), comparable(model, query)];
  return Array.from(a.keys()).filter((h) => Math.abs(a[h] - b[h]) > 1);
}

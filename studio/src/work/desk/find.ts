import type { PCAE } from 'pc-ae';
import { nearest, packCodes } from 'pc-ae/bits';
import type { Found } from './calls.ts';
import { comparable } from './codes.ts';
import { type DataSet, entries, rowName } from './sets.ts';

/** The rows whose codes are nearest: by differing bits, or by distance where codes are numbers. */
export async function findNearest(
  model: PCAE,
  set: DataSet,
  codes: Float32Array,
  query: Float32Array,
  count: number,
): Promise<Found> {
  const { H } = model;
  const { rows, distances } =
    model.encoding === 'bits'
      ? await byBits(codes, query, H, count)
      : byDistance(comparable(model, codes), comparable(model, query), H, count);
  return {
    ...{ rows, distances },
    names: rows.map((i) => rowName(set, i)),
    differing: rows.map((i) => differing(model, codes.subarray(i * H, (i + 1) * H), query)),
    values: entries(set.rows, rows),
    codes: Float32Array.from(
      { length: rows.length * H },
      (_, k) => codes[rows[Math.floor(k / H)] * H + (k % H)],
    ),
    query: query.slice(),
  };
}

async function byBits(codes: Float32Array, query: Float32Array, H: number, count: number) {
  const packed = packCodes(codes, { n: codes.length / H, H }, 'lsb');
  const { indices, distances } = await nearest(packed, packCodes(query, { n: 1, H }, 'lsb'), count);
  return { rows: Array.from(indices), distances: Array.from(distances) };
}

function byDistance(codes: Float32Array, query: Float32Array, H: number, count: number) {
  const n = codes.length / H;
  const squares = new Float64Array(n);
  for (let i = 0; i < n; i++) for (let h = 0; h < H; h++) squares[i] += (codes[i * H + h] - query[h]) ** 2;
  const rows = Array.from(squares.keys())
    .sort((a, b) => squares[a] - squares[b] || a - b)
    .slice(0, count);
  return { rows, distances: rows.map((i) => Math.sqrt(squares[i])) };
}

/** Bits that differ; of numbers, those that are apart by more than their typical size. */
function differing(model: PCAE, code: Float32Array, query: Float32Array): number[] {
  const [a, b] = [comparable(model, code), comparable(model, query)];
  return Array.from(a.keys()).filter((h) => Math.abs(a[h] - b[h]) > 1);
}

import { openSearch, type PackedCodes, packCodes } from 'pc-ae/bits';
import { breather } from '../breathe.ts';
import type { Context } from '../protocol.ts';

/** The nearest codes of every code: queries x k. */
export interface Neighbours {
  readonly k: number;
  readonly indices: Uint32Array;
  readonly distances: Uint32Array;
}

/** Steps that the numbers of a code are rounded to. */
const LEVELS = 16;
const BATCH = 1024;

/**
 * Codes as bits whose differences can be counted. Numbers are written in unary, a number as so many ones as
 * its level says: the bits that two such codes differ in are then the sum of their differences.
 */
export function countable(codes: Float32Array, H: number): PackedCodes {
  const binary = codes.every((x) => x === 1 || x === -1);
  return binary ? packCodes(codes, { n: codes.length / H, H }, 'lsb') : unary(codes, H);
}

/** The exact neighbours of every code among all of them, itself left out. */
export async function neighboursOf(
  codes: PackedCodes,
  k: number,
  context: Context<number>,
): Promise<Neighbours> {
  const most = Math.min(k, codes.n - 1);
  const found = await nearestAmong(codes, codes, most + 1, context);
  const indices = new Uint32Array(codes.n * most);
  const distances = new Uint32Array(codes.n * most);
  for (let i = 0, at = 0; i < codes.n; i++) {
    for (let j = 0; j < found.k && at < (i + 1) * most; j++) {
      const place = i * found.k + j;
      if (found.indices[place] === i) continue;
      indices[at] = found.indices[place];
      distances[at++] = found.distances[place];
    }
  }
  return { k: most, indices, distances };
}

/** The exact neighbours of some codes among others, by the package's search. */
export async function nearestAmong(
  base: PackedCodes,
  queries: PackedCodes,
  k: number,
  { signal, tell }: Context<number>,
): Promise<Neighbours> {
  const most = Math.min(k, base.n);
  const indices = new Uint32Array(queries.n * most);
  const distances = new Uint32Array(queries.n * most);
  const breathe = breather(signal);
  const search = await openSearch(base);
  try {
    for (let start = 0; start < queries.n; start += BATCH) {
      const end = Math.min(queries.n, start + BATCH);
      const found = await search.nearest(part(queries, start, end), most);
      indices.set(found.indices, start * most);
      distances.set(found.distances, start * most);
      tell(end / queries.n);
      await breathe();
    }
  } finally {
    await search.close();
  }
  return { k: most, indices, distances };
}

function part(codes: PackedCodes, start: number, end: number): PackedCodes {
  const stride = codes.bytes.length / codes.n;
  return { ...codes, n: end - start, bytes: codes.bytes.subarray(start * stride, end * stride) };
}

/** Some of the codes, in the order in which they are named. */
export function pick(codes: PackedCodes, chosen: ArrayLike<number>): PackedCodes {
  const stride = codes.bytes.length / codes.n;
  const bytes = new Uint8Array(chosen.length * stride);
  for (let k = 0; k < chosen.length; k++)
    bytes.set(codes.bytes.subarray(chosen[k] * stride, (chosen[k] + 1) * stride), k * stride);
  return { ...codes, n: chosen.length, bytes };
}

function unary(codes: Float32Array, H: number): PackedCodes {
  const n = codes.length / H;
  let squares = 0;
  for (const x of codes) squares += x * x;
  // Few numbers are further out than this; those are as far as it goes.
  const most = 2.5 * Math.sqrt(squares / codes.length) || 1;
  const bits = H * LEVELS;
  const stride = Math.ceil(bits / 8);
  const bytes = new Uint8Array(n * stride);
  for (let i = 0; i < n; i++) {
    for (let h = 0; h < H; h++) {
      const share = (codes[i * H + h] / most + 1) / 2;
      const level = Math.round(Math.max(0, Math.min(1, share)) * LEVELS);
      for (let l = 0; l < level; l++) {
        const at = h * LEVELS + l;
        bytes[i * stride + (at >> 3)] |= 1 << (at & 7);
      }
    }
  }
  return { n, H: bits, order: 'lsb', bytes };
}

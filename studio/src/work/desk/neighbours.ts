import { openSearch, packCodes } from 'pc-ae/bits';
import type { Context } from '../protocol.ts';

/** The nearest codes of every code, itself left out: n x k. */
export interface Neighbours {
  readonly k: number;
  readonly indices: Uint32Array;
  readonly distances: Uint32Array;
}

/** Steps that the numbers of a code are rounded to. */
const LEVELS = 16;
const BATCH = 1024;

/**
 * Exact neighbours by the package's search of bits. Codes of numbers are written in unary first, a number as so many ones
 * as its level says: the bits that two such codes differ in are then the sum of their differences.
 */
export async function neighboursOf(
  codes: Float32Array,
  H: number,
  k: number,
  { signal, tell }: Context<number>,
): Promise<Neighbours> {
  const n = codes.length / H;
  const binary = codes.every((x) => x === 1 || x === -1);
  const packed = binary ? packCodes(codes, { n, H }, 'lsb') : unary(codes, H);
  const search = await openSearch(packed);
  const most = Math.min(k, n - 1);
  const indices = new Uint32Array(n * most);
  const distances = new Uint32Array(n * most);
  try {
    const stride = packed.bytes.length / n;
    for (let start = 0; start < n; start += BATCH) {
      signal.throwIfAborted();
      const end = Math.min(n, start + BATCH);
      const bytes = packed.bytes.subarray(start * stride, end * stride);
      const found = await search.nearest({ ...packed, n: end - start, bytes }, most + 1);
      for (let i = start; i < end; i++) {
        let at = i * most;
        for (let j = 0; j < found.k && at < (i + 1) * most; j++) {
          const place = (i - start) * found.k + j;
          if (found.indices[place] === i) continue;
          indices[at] = found.indices[place];
          distances[at++] = found.distances[place];
        }
      }
      tell(end / n);
      await new Promise((resolve) => setTimeout(resolve));
    }
  } finally {
    await search.close();
  }
  return { k: most, indices, distances };
}

function unary(codes: Float32Array, H: number) {
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
  return { n, H: bits, order: 'lsb' as const, bytes };
}

import { xoroshiro128plusFromState } from 'pure-rand/generator/xoroshiro128plus';
import type { RandomGenerator } from 'pure-rand/types/RandomGenerator';
import { mix } from './mix.ts';

/**
 * Binarisation: a grey value becomes a bit, by a draw with the value as its probability (as in the paper's
 * experiments), by comparison with one half, or not at all (a randomised bit, App. B).
 *
 * Each row of a file has its own stream of random numbers, fixed by the seed and the row's number in the
 * file. So the bits do not depend on the chunks they are read in, nor on which other rows are read.
 */
export type Binarize = 'sample' | 'threshold' | 'none';

/** The random stream of one row. Different pairs (seed, row) never start in the same state. */
export function rowStream(seed: number, row: number): RandomGenerator {
  // mix is a bijection of 32 bits: `a` determines the seed and, given the seed, `b` and `high` determine the
  // row.
  const a = mix(seed ^ 0x9e3779b9);
  const b = mix(a ^ (row | 0));
  const far = Math.floor(row / 2 ** 32);
  const high = mix(a + far + 1);
  // The first number is the sum of the second and the last part, so the last must differ for distant rows,
  // too.
  return xoroshiro128plusFromState([a, b, high, mix(b ^ mix(far) ^ 0x85ebca6b) | 1]);
}

/**
 * Sets `bits` (packed, least significant first, cleared beforehand) for one row of grey values 0..255.
 *
 * The probability of a one is exactly p/255: a random byte u is uniform on 0..254 once 255 is thrown away,
 * and u < p happens for p of these 255 values. One 32-bit number gives four bytes; 0 and 255 need no draw.
 */
export function sampleBytes(
  grey: Uint8Array | Float32Array | Float64Array,
  from: number,
  V: number,
  stream: RandomGenerator,
  bits: Uint8Array,
  at: number,
): void {
  let pool = 0;
  let left = 0;
  for (let v = 0; v < V; v++) {
    const p = grey[from + v];
    if (p === 0) continue;
    if (p !== 255) {
      let u = 255;
      while (u === 255) {
        if (left === 0) {
          pool = stream.next();
          left = 4;
        }
        // The bytes are taken from the top: the high bits of this generator are its best ones.
        u = pool >>> 24;
        pool <<= 8;
        left--;
      }
      if (u >= p) continue;
    }
    bits[at + (v >> 3)] |= 1 << (v & 7);
  }
}

/**
 * True with probability p, from one 32-bit number: exact for multiples of 2^-32, within 2^-32 otherwise. 0
 * and 1 are certain and draw nothing, so that zeros which a sparse row leaves out do not shift its stream.
 */
export function sampleUnit(p: number, stream: RandomGenerator): boolean {
  if (p <= 0) return false;
  if (p >= 1) return true;
  return stream.next() >>> 0 < p * 2 ** 32;
}

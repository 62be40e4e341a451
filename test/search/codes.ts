import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import type { PackedCodes } from '../../src/bits/pack.ts';

/** Codes that lie close enough to one another for ties at every distance. */
export function randomCodes(n: number, H: number, seed: number): PackedCodes {
  const random = xoroshiro128plus(seed);
  const width = Math.ceil(H / 8);
  const bytes = new Uint8Array(n * width);
  for (let i = 0; i < n; i++) {
    for (let h = 0; h < H; h++) {
      if ((random.next() & 7) === 0) bytes[i * width + (h >> 3)] |= 1 << (h & 7);
    }
  }
  return { n, H, order: 'lsb', bytes };
}

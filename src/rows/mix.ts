/**
 * The finaliser of MurmurHash3 (Appleby 2011): a bijection of the 32-bit integers in which each output bit
 * depends on all input bits. 0 stays 0. It makes the seeds of random streams.
 */
export function mix(x: number): number {
  x ^= x >>> 16;
  x = Math.imul(x, 0x85ebca6b);
  x ^= x >>> 13;
  x = Math.imul(x, 0xc2b2ae35);
  return x ^ (x >>> 16);
}

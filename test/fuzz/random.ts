/** Draws from a seed, the same on every machine. */
export interface Random {
  /** A whole number from 0 to below `count`. */
  below(count: number): number;
  /** True once in so many times. */
  oneIn(count: number): boolean;
  pick<T>(from: readonly T[]): T;
  /** A generator that does not share its draws with this one. */
  split(): Random;
}

/** Two whole numbers fix all draws (Marsaglia's xorshift, after a mixing of the seeds). */
export function random(seed: number, index = 0): Random {
  let state = mixed(mixed(seed >>> 0) ^ (index >>> 0)) || 1;
  const next = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
  const below = (count: number) => Math.floor((next() / 2 ** 32) * count);
  return {
    below,
    oneIn: (count) => below(count) === 0,
    pick: (from) => from[below(from.length)],
    split: () => random(next(), next()),
  };
}

function mixed(x: number): number {
  let y = Math.imul(x ^ (x >>> 16), 0x45d9f3b) + 0x9e3779b9;
  y = Math.imul(y ^ (y >>> 15), 0x2c1b3c6d);
  return (y ^ (y >>> 13)) >>> 0;
}

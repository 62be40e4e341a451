import type { Encoding } from './encoding.ts';
import { confined } from './refusals.ts';

/**
 * Codes without negative numbers: units only add, and never take away what another unit contributes. The
 * orthant is unbounded, so that, as for real codes, the proof is among the codes with e_h <= radius.
 */
export const nonnegative: Encoding = {
  name: 'nonnegative',
  ...{ discrete: false, free: false, bounded: false, roundsTo: [] },
  project(e, radius) {
    for (let h = 0; h < e.length; h++) e[h] = Math.max(0, Math.min(radius, e[h]));
  },
  gap(g, e, radius) {
    let sum = 0;
    for (let h = 0; h < e.length; h++) sum += g[h] === 0 ? 0 : g[h] * e[h] - Math.min(0, g[h] * radius);
    return sum;
  },
  learningRadius: () => Number.POSITIVE_INFINITY,
  /**
   * Moves codes up into the orthant, which the bias unit undoes. Without a bias unit, every second unit
   * becomes the opposite of the one before it instead, and takes over its negative codes.
   */
  start(W, { V, H, bias }) {
    const width = bias ? H + 1 : H;
    const out = W.slice();
    for (let v = 0; v < V; v++) {
      for (let h = 0; h < H; h++) {
        if (bias) out[v * width + H] -= LIFT * W[v * width + h];
        else out[v * width + h] = (h % 2 === 0 ? 1 : -1) * W[v * width + (h >> 1)];
      }
    }
    return out;
  },
  words: {
    one: 'number',
    which: ', none below 0',
    entry: 'a number of at least 0',
    about: (radius) => `within [0, ${radius}]`,
    gap: 'certified gap',
    help: 'nonnegative (none below 0)',
  },
  refuses: confined,
};

/** How far codes are moved up into the orthant. */
const LIFT = 1;

import type { Encoding } from './encoding.ts';
import { confined } from './refusals.ts';

/**
 * Codes that are shares of a whole: e_h >= 0 and sum_h e_h = radius. The scores W e are then mixtures of W's
 * columns, one for each vertex. The nearest point lowers every coordinate by the same threshold and cuts at
 * 0; a linear function is smallest at the vertex of its smallest coefficient.
 */
export const simplex: Encoding = {
  name: 'simplex',
  ...{ discrete: false, free: false, bounded: true, roundsTo: [] },
  project(e, radius) {
    const falling = Float64Array.from(e).sort().reverse();
    let [sum, threshold] = [0, 0];
    for (let k = 0; k < falling.length; k++) {
      sum += falling[k];
      const lowered = (sum - radius) / (k + 1);
      if (falling[k] > lowered) threshold = lowered;
    }
    for (let h = 0; h < e.length; h++) e[h] = Math.max(0, e[h] - threshold);
  },
  gap(g, e, radius) {
    let [here, least] = [0, Number.POSITIVE_INFINITY];
    for (let h = 0; h < e.length; h++) {
      here += g[h] * e[h];
      least = Math.min(least, g[h]);
    }
    return here - radius * least;
  },
  learningRadius: (H) => MEAN_SHARE * H,
  /** Turns H - 1 directions into the plane in which codes have the same sum. */
  start(W, { V, H, bias }) {
    const width = bias ? H + 1 : H;
    const out = W.slice();
    const plane = contrasts(H);
    for (let v = 0; v < V; v++) {
      for (let h = 0; h < H; h++) {
        let sum = 0;
        for (let k = 0; k < H - 1; k++) sum += W[v * width + k] * plane[h * (H - 1) + k];
        out[v * width + h] = sum;
      }
    }
    return out;
  },
  words: {
    one: 'number',
    which: ', shares of a whole',
    entry: 'a share of 1, none below 0',
    about: (radius) => `of numbers that are not negative and sum to ${radius}`,
    gap: 'certified gap',
    help: 'simplex (shares of 1)',
  },
  refuses: confined,
};

/**
 * The mean share, in standard deviations of the real code that learning starts from. Larger sets cut off
 * less, but codes fill them less.
 */
const MEAN_SHARE = 4;

/** H x (H - 1), orthonormal columns that add up to 0 (Helmert's): the directions of the simplex. */
function contrasts(H: number): Float64Array {
  const out = new Float64Array(H * Math.max(0, H - 1));
  for (let k = 1; k < H; k++) {
    const length = Math.sqrt(k * (k + 1));
    for (let h = 0; h < k; h++) out[h * (H - 1) + k - 1] = 1 / length;
    out[k * (H - 1) + k - 1] = -k / length;
  }
  return out;
}

import type { Encoding } from './encoding.ts';

/**
 * Codes that are shares of a whole: e_h >= 0 and sum_h e_h = total. The scores W e are then mixtures of W's columns,
 * one for each vertex. The nearest point lowers every coordinate by the same threshold and cuts at 0; a linear
 * function is smallest at the vertex of its smallest coefficient.
 */
export function simplex(total = 1): Encoding {
  return {
    name: 'simplex',
    discrete: false,
    project(e) {
      const falling = Float64Array.from(e).sort().reverse();
      let [sum, threshold] = [0, 0];
      for (let k = 0; k < falling.length; k++) {
        sum += falling[k];
        const lowered = (sum - total) / (k + 1);
        if (falling[k] > lowered) threshold = lowered;
      }
      for (let h = 0; h < e.length; h++) e[h] = Math.max(0, e[h] - threshold);
    },
    gap(g, e) {
      let [here, least] = [0, Number.POSITIVE_INFINITY];
      for (let h = 0; h < e.length; h++) {
        here += g[h] * e[h];
        least = Math.min(least, g[h]);
      }
      return here - total * least;
    },
  };
}

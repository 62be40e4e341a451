import type { Encoding } from './encoding.ts';

/**
 * Codes without a minus sign: a unit is there or not, and never takes away what another one says. The orthant is
 * unbounded, so, as for real codes, the proof is made among the codes with e_h <= radius.
 */
export function nonnegative(radius: number): Encoding {
  return {
    name: 'nonnegative',
    discrete: false,
    project(e) {
      for (let h = 0; h < e.length; h++) e[h] = Math.max(0, Math.min(radius, e[h]));
    },
    gap(g, e) {
      let sum = 0;
      for (let h = 0; h < e.length; h++) sum += g[h] === 0 ? 0 : g[h] * e[h] - Math.min(0, g[h] * radius);
      return sum;
    },
  };
}

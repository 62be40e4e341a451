import type { Encoding } from './encoding.ts';

/**
 * Unconstrained codes in R^H. A gradient that is not exactly zero certifies nothing over an unbounded set, so the
 * proof is made among the codes with |e_h| <= radius, far beyond any code that training met.
 */
export function real(radius: number): Encoding {
  return {
    name: 'real',
    discrete: false,
    project(e) {
      for (let h = 0; h < e.length; h++) e[h] = Math.max(-radius, Math.min(radius, e[h]));
    },
    gap(g, e) {
      let sum = 0;
      for (let h = 0; h < e.length; h++) sum += g[h] === 0 ? 0 : g[h] * e[h] + radius * Math.abs(g[h]);
      return sum;
    },
  };
}

import type { Encoding } from './encoding.ts';

/** Codes of length at most `radius`: no unit is special, the set looks the same from every side. */
export function ball(radius = 1): Encoding {
  return {
    name: 'ball',
    discrete: false,
    project(e) {
      const length = Math.hypot(...e);
      if (length > radius) for (let h = 0; h < e.length; h++) e[h] *= radius / length;
    },
    gap(g, e) {
      let here = 0;
      for (let h = 0; h < e.length; h++) here += g[h] * e[h];
      return here + radius * Math.hypot(...g);
    },
  };
}

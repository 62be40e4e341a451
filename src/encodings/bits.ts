import type { Encoding } from './encoding.ts';

/**
 * True bits, {-1, 1}^H. The convex relaxation is the box: a linear function falls no further over the bits than
 * over the box, so the box's gap bounds the bits' gap as well.
 */
export const bits: Encoding = {
  name: 'bits',
  discrete: true,
  project(e) {
    for (let h = 0; h < e.length; h++) e[h] = e[h] < 0 ? -1 : 1;
  },
  gap(g, e) {
    let sum = 0;
    for (let h = 0; h < e.length; h++) sum += g[h] * e[h] + Math.abs(g[h]);
    return sum;
  },
};

import type { Encoding } from './encoding.ts';

/** The paper's binary encodings: randomised bits, by their means in [-1, 1]^H. */
export const box: Encoding = {
  name: 'box',
  discrete: false,
  project(e) {
    for (let h = 0; h < e.length; h++) e[h] = Math.max(-1, Math.min(1, e[h]));
  },
  gap(g, e) {
    let sum = 0;
    for (let h = 0; h < e.length; h++) sum += g[h] * e[h] + Math.abs(g[h]);
    return sum;
  },
};

import type { Encoding } from './encoding.ts';
import { confined } from './refusals.ts';

/** Codes of length at most `radius`: a set without preferred directions. */
export const ball: Encoding = {
  name: 'ball',
  ...{ discrete: false, free: false, bounded: true, roundsTo: [] },
  project(e, radius) {
    const length = Math.hypot(...e);
    if (length > radius) for (let h = 0; h < e.length; h++) e[h] *= radius / length;
  },
  gap(g, e, radius) {
    let here = 0;
    for (let h = 0; h < e.length; h++) here += g[h] * e[h];
    return here + radius * Math.hypot(...g);
  },
  learningRadius: (H) => SPREAD * Math.sqrt(H),
  start: (W) => W,
  words: {
    one: 'number',
    which: ', together of length 1 at most',
    entry: 'part of a code of length 1 at most',
    about: (radius) => `of length at most ${radius}`,
    gap: 'certified gap',
    help: 'ball (of length 1 at most)',
  },
  refuses: confined,
};

/** The radius while codes are learned, in lengths of a code of unit variance. */
const SPREAD = 6;

import type { Encoding } from './encoding.ts';
import { notDrawn, notSparse, solvedFor } from './refusals.ts';
import { gapOverBox, learnedFreely, projectOntoBox } from './symmetric.ts';

/**
 * Unconstrained codes in R^H. A gradient that is not exactly zero certifies nothing over an unbounded set, so
 * the proof is made among the codes with |e_h| <= radius, far beyond any code seen in training.
 */
export const real: Encoding = {
  name: 'real',
  ...learnedFreely,
  ...{ discrete: false, bounded: false, roundsTo: [] },
  project: projectOntoBox,
  gap: gapOverBox,
  words: {
    one: 'number',
    which: '',
    entry: 'a number',
    about: (radius) => `within [-${radius}, ${radius}]`,
    gap: 'certified gap',
    help: 'real (any number)',
  },
  refuses: { ...solvedFor, ...notDrawn, ...notSparse },
};

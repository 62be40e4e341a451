import type { Encoding } from './encoding.ts';
import { solvedFor } from './refusals.ts';
import { gapOverBox, learnedFreely, projectOntoBox } from './symmetric.ts';

/** The paper's binary encodings: randomised bits, by their means in [-1, 1]^H. */
export const box: Encoding = {
  name: 'box',
  ...learnedFreely,
  ...{ discrete: false, bounded: true, roundsTo: [1, 2, 3, 4, 5, 6] },
  project: projectOntoBox,
  gap: gapOverBox,
  words: {
    one: 'number',
    which: ' in [-1, 1]',
    entry: 'a number in [-1, 1]',
    about: (radius) => `within [-${radius}, ${radius}]`,
    gap: 'certified gap',
    help: 'box (from -1 to 1)',
  },
  refuses: solvedFor,
};

import type { Encoding } from './encoding.ts';
import { notDrawn } from './refusals.ts';
import { gapOverBox, learnedFreely } from './symmetric.ts';

/**
 * True bits, {-1, 1}^H. The convex relaxation is the box: a linear function falls no further over the bits
 * than over the box, so the box's gap bounds the bits' gap as well.
 */
export const bits: Encoding = {
  name: 'bits',
  ...learnedFreely,
  ...{ discrete: true, free: false, bounded: true, roundsTo: [1] },
  project(e, radius) {
    for (let h = 0; h < e.length; h++) e[h] = e[h] < 0 ? -radius : radius;
  },
  gap: gapOverBox,
  words: {
    one: 'bit',
    which: '',
    entry: '-1 or 1',
    about: () => 'of bits: -1 and 1',
    gap: 'not ruled out',
    help: 'bits (truly -1 or 1)',
  },
  refuses: {
    ...notDrawn,
    bias: 'codes of bits always have a bias unit',
    l1: 'codes of bits have no L1 penalty, only a ridge',
    chosen: 'codes of bits use all correlations',
    rowWeights: 'all rows count alike for codes of bits',
    columnWeights: 'all columns count alike for codes of bits',
    codes: 'codes of bits are all kept while they are learned',
    algorithm: "the paper's procedure has box and real codes",
    shrink: 'codes of bits have no size to shrink',
    path: 'units are added to box and real codes',
  },
};

import type { Refusals } from './encoding.ts';

/** For codes that solve a convex problem: they are not searched for, and need no further proof. */
export const solvedFor: Refusals = {
  effort: 'codes of numbers are optimal as they are',
  bound: 'the gaps of codes of numbers are tight as they are',
};

/** For codes that are not the means of bits, as box codes are. */
export const notDrawn: Refusals = { draws: 'bits are drawn from box codes' };

/** For codes without bounds, which would grow until weights cost nothing. */
export const notSparse: Refusals = { l1: 'sparse weights need box codes, whose size is fixed' };

/** For codes that stay in their own set while they are learned. */
export const confined: Refusals = {
  ...solvedFor,
  ...notDrawn,
  ...notSparse,
  algorithm: "the paper's procedure has box and real codes",
  path: 'units are added to box and real codes',
};

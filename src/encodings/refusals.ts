import type { Refusals } from './encoding.ts';

/** Codes that are the solution of a convex problem are not searched for, and need no other proof. */
export const solvedFor: Refusals = {
  effort: 'codes of numbers are optimal as they are',
  bound: 'the gaps of codes of numbers are tight as they are',
};

/** Bits are drawn from their means, which is what box codes are. */
export const notDrawn: Refusals = { draws: 'bits are drawn from box codes' };

/** Codes without bounds would grow until weights cost nothing. */
export const notSparse: Refusals = { l1: 'sparse weights need box codes, whose size is fixed' };

/** Codes that stay in a set of their own while they are learned. */
export const confined: Refusals = {
  ...solvedFor,
  ...notDrawn,
  ...notSparse,
  algorithm: "the paper's procedure has box and real codes",
  path: 'units are added to box and real codes',
};

import type { Loss } from './loss.ts';

/**
 * Squared error of the probability that the bit is one (the Brier score): with p = (1 + y) / 2,
 * l+(y) = (1 - p)^2 and l-(y) = p^2. It lies between 0 and 1 per bit, as the Hamming loss does, and its
 * scores are the reconstructions themselves: Gamma(y) = y. It is a proper loss, so Psi' is the transfer
 * function.
 */
export const squared: Loss = {
  name: 'squared',
  plus: (y) => ((1 - y) / 2) ** 2,
  minus: (y) => ((1 + y) / 2) ** 2,
  gamma: (y) => y,
  transfer: (m) => Math.max(-1, Math.min(m, 1)),
  psi: (m) => (Math.abs(m) < 1 ? (1 + m * m) / 2 : Math.abs(m)),
  psiPrime: (m) => Math.max(-1, Math.min(m, 1)),
  psiSecond: (m) => (Math.abs(m) < 1 ? 1 : 0),
  curvature: 1,
  conjugate: (u) => (u * u - 1) / 2,
};

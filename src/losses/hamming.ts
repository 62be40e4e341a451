import type { Loss } from './loss.ts';

/**
 * Expected Hamming distance: l+-(y) = (1 -+ y) / 2 (App. D), the chance that the randomised bit y is wrong.
 * The potential well is max(|m|, 1), with kinks at -1 and 1; the decoder is the clipped linearity. It is not
 * a proper loss: Psi' is 0 between the kinks, where the transfer function is m.
 */
export const hamming: Loss = {
  name: 'hamming',
  plus: (y) => (1 - y) / 2,
  minus: (y) => (1 + y) / 2,
  gamma: (y) => y,
  transfer: (m) => Math.max(-1, Math.min(m, 1)),
  psi: (m) => Math.max(Math.abs(m), 1),
  psiPrime: (m) => (m > 1 ? 1 : m < -1 ? -1 : 0),
  psiSecond: () => 0,
  curvature: Number.POSITIVE_INFINITY,
  conjugate: (u) => Math.abs(u) - 1,
};

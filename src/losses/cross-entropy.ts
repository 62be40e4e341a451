import type { Loss } from './loss.ts';

/**
 * Cross-entropy, the paper's loss, in nats: l+-(y) = ln(2 / (1 +- y)) (Eq. 2). The transfer function is the
 * logistic sigmoid rescaled to [-1, 1]. Written with exp(-|m|), so no score overflows.
 */
export const crossEntropy: Loss = {
  name: 'cross-entropy',
  plus: (y) => Math.LN2 - Math.log1p(y),
  minus: (y) => Math.LN2 - Math.log1p(-y),
  gamma: (y) => Math.log1p(y) - Math.log1p(-y),
  transfer: (m) => Math.tanh(m / 2),
  psi: (m) => Math.abs(m) + 2 * Math.log1p(Math.exp(-Math.abs(m))),
  psiPrime: (m) => Math.tanh(m / 2),
  psiSecond: (m) => {
    const q = Math.exp(-Math.abs(m));
    return (2 * q) / ((1 + q) * (1 + q));
  },
  curvature: 0.5,
  conjugate: (u) => xLogHalfX(1 + u) + xLogHalfX(1 - u),
};

/** t ln(t / 2), with its limit 0 at t = 0. */
function xLogHalfX(t: number): number {
  return t > 0 ? t * Math.log(t / 2) : 0;
}

/** ln(1 + e^m): what a bit costs whose log-odds are -m. */
export function softplus(m: number): number {
  return Math.max(0, m) + Math.log1p(Math.exp(-Math.abs(m)));
}

import { endsOf } from './chords.ts';
import type { Loss } from './loss.ts';

/**
 * The loss with its kinks rounded off, for steps and proofs that need curvature. Where Psi jumps from one
 * slope to another at an end of its range, the slope rises evenly instead, from the end to `width` beyond it.
 *
 *     Psi(m) - Psi_width(m)  lies between 0 and half the width times the jump of the slope
 *
 * Psi* remains that of the loss itself, so that a bound made from slopes of Psi_width and from Psi* holds for
 * the loss itself.
 */
export function smoothed(loss: Loss, width: number): Loss {
  const { from, to, psiFrom, psiTo, slopeFrom, slopeTo } = endsOf(loss);
  const [up, down] = [1 - slopeTo, 1 + slopeFrom];
  const rise = (z: number) => Math.min(1, z / width);
  // The integral of `rise` from 0 to z.
  const risen = (z: number) => (z < width ? (z * z) / (2 * width) : z - width / 2);
  return {
    name: `smoothed(${loss.name}, ${width})`,
    plus: (y) => loss.plus(y),
    minus: (y) => loss.minus(y),
    transfer: (m) => loss.transfer(m),
    conjugate: (u) => loss.conjugate(u),
    gamma: (y) => (y >= 1 ? to + width : y <= -1 ? from - width : loss.gamma(y)),
    psi(m) {
      if (m > to) return psiTo + slopeTo * (m - to) + up * risen(m - to);
      return m < from ? psiFrom + slopeFrom * (m - from) + down * risen(from - m) : loss.psi(m);
    },
    psiPrime(m) {
      if (m >= to) return slopeTo + up * rise(m - to);
      return m <= from ? slopeFrom - down * rise(from - m) : loss.psiPrime(m);
    },
    psiSecond(m) {
      if (m >= to) return m - to < width ? up / width : 0;
      if (m <= from) return from - m < width ? down / width : 0;
      return loss.psiSecond(m);
    },
    curvature: Math.max(up, down) / width,
  };
}

import { crossEntropy } from '../../losses/cross-entropy.ts';
import { hamming } from '../../losses/hamming.ts';
import type { Loss } from '../../losses/loss.ts';
import { sampled } from '../../losses/sampled.ts';
import { squared } from '../../losses/squared.ts';

/** Psi as Newton's method needs it: cheap to evaluate, and bent where it has kinks. */
export interface Wells {
  value(m: number): number;
  slope(m: number): number;
  bend(m: number): number;
}

/**
 * Psi, or where it has kinks its Moreau envelope, min over y of Psi(y) + (m - y)^2 / (2 width): a smooth function
 * that is at most width / 2 below Psi, whose slopes are slopes of Psi near by. Slopes of an envelope's minimum are
 * therefore a dual point of the problem itself, which proves its code to within about width / 4 for each bit that
 * rests on a kink.
 */
export function wellsOf(loss: Loss, width: number): Wells {
  const fast = CLOSED_FORM.includes(loss) ? loss : sampled(loss);
  if (width === 0)
    return { value: (m) => fast.psi(m), slope: (m) => fast.psiPrime(m), bend: (m) => fast.psiSecond(m) };
  const nearest = (m: number) => prox(fast, m, width);
  return {
    value(m) {
      const y = nearest(m);
      return fast.psi(y) + (m - y) ** 2 / (2 * width);
    },
    slope: (m) => (m - nearest(m)) / width,
    bend(m) {
      // A secant of Psi' sees a kink as a very large curvature, which is what a kink is to its envelope.
      const y = nearest(m);
      const bend = (fast.psiPrime(y + SECANT) - fast.psiPrime(y - SECANT)) / (2 * SECANT);
      return bend / (1 + width * bend);
    },
  };
}

const CLOSED_FORM: readonly Loss[] = [crossEntropy, hamming, squared];
const SECANT = 1e-6;

/** argmin over y of width Psi(y) + (y - m)^2 / 2: the root of the increasing y + width Psi'(y) - m, kinks included. */
function prox(loss: Loss, m: number, width: number): number {
  let [low, high] = [m - width, m + width];
  for (let step = 0; step < 60; step++) {
    const y = (low + high) / 2;
    if (y <= low || y >= high) break;
    if (y + width * loss.psiPrime(y) <= m) low = y;
    else high = y;
  }
  return (low + high) / 2;
}

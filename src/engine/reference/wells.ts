import { crossEntropy } from '../../losses/cross-entropy.ts';
import { hamming } from '../../losses/hamming.ts';
import type { Loss } from '../../losses/loss.ts';
import { sampled } from '../../losses/sampled.ts';
import { squared } from '../../losses/squared.ts';

/** Psi as Newton's method needs it: cheap to evaluate, and bent where it has kinks. */
export interface Wells {
  /** The nearest score where Psi itself is looked at; m where Psi is smooth. */
  base(m: number): number;
  value(m: number, base: number): number;
  slope(m: number, base: number): number;
  bend(m: number, base: number): number;
}

/** The loss itself where it has closed forms, otherwise its tables. */
export function fastLoss(loss: Loss): Loss {
  return CLOSED_FORM.includes(loss) ? loss : sampled(loss);
}

/**
 * Psi, or where it has kinks its Moreau envelope, min over y of Psi(y) + (m - y)^2 / (2 width): a smooth
 * function that is at most width / 2 below Psi, whose slopes are slopes of Psi near by. Slopes of an
 * envelope's minimum are therefore a dual point of the problem itself, which proves its code to within about
 * width / 4 for each bit that rests on a kink.
 */
export function wellsOf(loss: Loss, width: number): Wells {
  if (width === 0) {
    return {
      base: (m) => m,
      value: (m) => loss.psi(m),
      slope: (m) => loss.psiPrime(m),
      bend: (m) => loss.psiSecond(m),
    };
  }
  return {
    base: loss === hamming ? (m) => hammingProx(m, width) : (m) => prox(loss, m, width),
    value: (m, y) => loss.psi(y) + (m - y) ** 2 / (2 * width),
    slope: (m, y) => (m - y) / width,
    bend(_m, y) {
      // A secant of Psi' sees a kink as a very large curvature, which is what a kink is to its envelope.
      const bend = (loss.psiPrime(y + SECANT) - loss.psiPrime(y - SECANT)) / (2 * SECANT);
      return bend / (1 + width * bend);
    },
  };
}

const CLOSED_FORM: readonly Loss[] = [crossEntropy, hamming, squared];
const SECANT = 1e-6;

function hammingProx(m: number, width: number): number {
  const size = Math.abs(m);
  return size <= 1 ? m : Math.sign(m) * Math.max(1, size - width);
}

/**
 * argmin over y of width Psi(y) + (y - m)^2 / 2: the root of y + width Psi'(y) - m, which rises, kinks
 * included.
 */
function prox(loss: Loss, m: number, width: number): number {
  let low = m - width;
  let high = m + width;
  for (let step = 0; step < 50; step++) {
    const y = (low + high) / 2;
    if (y <= low || y >= high) break;
    if (y + width * loss.psiPrime(y) <= m) low = y;
    else high = y;
  }
  return (low + high) / 2;
}

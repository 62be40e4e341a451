import type { Loss } from './loss.ts';

/**
 * Everything that follows from two partial losses (App. D), derived numerically. Nothing is checked here:
 * `customLoss` does that.
 *
 * Only values of the partial losses are used. The reconstruction y is a float64, so next to an infinite end
 * point, as cross-entropy has, the transfer function stops at the last number before 1; Psi is exact there
 * all the same, because it is evaluated by the envelope in `psi` below and not through Gamma^-1 alone.
 */
export function deriveLoss(name: string, plus: (y: number) => number, minus: (y: number) => number): Loss {
  const gamma = (y: number) => minus(y) - plus(y);
  const both = (y: number) => minus(y) + plus(y);
  const envelope = (y: number, m: number) => Math.max(2 * plus(y) + m, 2 * minus(y) - m);

  // Gamma increases: secant and bisection steps in turn, down to neighbouring numbers; then the better side.
  const transfer = (m: number): number => {
    let [low, high] = [-1, 1];
    let [below, above] = [gamma(low) - m, gamma(high) - m];
    if (below >= 0) return -1;
    if (above <= 0) return 1;
    for (let bisect = false; ; bisect = !bisect) {
      const middle = (low + high) / 2;
      if (middle <= low || middle >= high || high - low < 1e-17) break;
      const secant = low - (below * (high - low)) / (above - below);
      const y = !bisect && secant > low && secant < high ? secant : middle;
      const off = gamma(y) - m;
      if (off === 0) return y;
      if (off < 0) [low, below] = [y, off];
      else [high, above] = [y, off];
    }
    return envelope(low, m) <= envelope(high, m) ? low : high;
  };

  const psi = (m: number): number => envelope(transfer(m), m);

  // Psi runs through the points (Gamma(y), l+(y) + l-(y)): its slope is a secant's between two close y.
  const psiPrime = (m: number): number => {
    const y = transfer(m);
    const h = stepAt(y, 2e-5);
    const rise = both(y + h) - both(y - h);
    const run = gamma(y + h) - gamma(y - h);
    return run > 0 ? clip(rise / run) : Math.sign(y);
  };

  const psiSecond = (m: number): number => {
    const y = transfer(m);
    const h = bendStepAt(gamma, y, 1e-4);
    const [a, b, c] = [gamma(y - h), gamma(y), gamma(y + h)];
    if (!(a < b && b < c)) return 0;
    const left = (both(y) - both(y - h)) / (b - a);
    const right = (both(y + h) - both(y)) / (c - b);
    return Math.max(0, (2 * (right - left)) / (c - a));
  };

  const conjugate = (u: number): number => {
    const risk = (y: number) => (u > -1 ? (1 + u) * plus(y) : 0) + (u < 1 ? (1 - u) * minus(y) : 0);
    return -minimumOnInterval(risk);
  };

  return {
    name,
    plus,
    minus,
    gamma,
    transfer,
    psi,
    psiPrime,
    psiSecond,
    curvature: largestCurvature(gamma, both, psiSecond),
    conjugate,
  };
}

/** A difference step at y that stays inside (-1, 1); 0 at the ends, where Psi has become linear. */
function stepAt(y: number, largest: number): number {
  return Math.min(largest, (1 - Math.abs(y)) / 4096);
}

/**
 * A step for second differences, which divide rounding errors by the square of Gamma's rise over the step.
 * Towards an infinite end of Gamma, a step that shrinks with the distance to the end keeps that rise. Towards
 * a finite end it would not, and the step stays long as long as the rise is no more than in the middle.
 */
function bendStepAt(gamma: (y: number) => number, y: number, largest: number): number {
  const short = stepAt(y, largest);
  const rise = (gamma(y + short) - gamma(y - short)) / (2 * short);
  return rise > 0 ? Math.max(short, Math.min(largest, (1 - Math.abs(y)) / 2, largest / rise)) : short;
}

function clip(u: number): number {
  return Math.max(-1, Math.min(u, 1));
}

/**
 * sup Psi'' from a fine grid, with a percent to spare; Infinity when Psi' jumps to -1 or 1 at a finite end.
 */
function largestCurvature(
  gamma: (y: number) => number,
  both: (y: number) => number,
  psiSecond: (m: number) => number,
): number {
  for (const end of [-1, 1]) {
    const near = end * (1 - 1e-6);
    const slope = (both(end) - both(near)) / (gamma(end) - gamma(near));
    if (Number.isFinite(gamma(end)) && Math.abs(slope - end) > 1e-3) return Number.POSITIVE_INFINITY;
  }
  let largest = 0;
  const cells = 1024;
  for (let k = 1; k < cells; k++) largest = Math.max(largest, psiSecond(gamma(-1 + (2 * k) / cells)));
  return 1.01 * largest;
}

/** min of f over [-1, 1]: the best cell of a grid (f may have several valleys), then golden section. */
function minimumOnInterval(f: (y: number) => number): number {
  const cells = 256;
  let best = 0;
  let lowest = Number.POSITIVE_INFINITY;
  for (let k = 0; k <= cells; k++) {
    const value = f(-1 + (2 * k) / cells);
    if (value < lowest) {
      lowest = value;
      best = k;
    }
  }
  let low = Math.max(-1, -1 + (2 * (best - 1)) / cells);
  let high = Math.min(1, -1 + (2 * (best + 1)) / cells);
  const golden = (Math.sqrt(5) - 1) / 2;
  let [a, b] = [high - golden * (high - low), low + golden * (high - low)];
  let [atA, atB] = [f(a), f(b)];
  // The value next to a minimum differs by the square of the distance: closer than this, it is the same
  // number.
  while (high - low > 1e-10) {
    if (atA <= atB) {
      [high, b, atB] = [b, a, atA];
      a = high - golden * (high - low);
      atA = f(a);
    } else {
      [low, a, atA] = [a, b, atB];
      b = low + golden * (high - low);
      atB = f(b);
    }
  }
  return Math.min(lowest, atA, atB);
}

import type { PCAE } from './model.ts';

/** Whether weights were learned with an L1 penalty, for all bits or for some. */
export function hasL1({ training: { l1 } }: PCAE): boolean {
  return typeof l1 === 'number' ? l1 > 0 : l1.some((eps) => eps > 0);
}

/** The share of numbers that are exactly zero. */
export function shareOfZeros(values: ArrayLike<number>): number {
  let zeros = 0;
  for (let i = 0; i < values.length; i++) if (values[i] === 0) zeros++;
  return zeros / values.length;
}

interface Units {
  readonly V: number;
  readonly H: number;
  /** V x width; a bias may follow the units. */
  readonly W: ArrayLike<number>;
}

/** How many units have no weight at all, so that nothing depends on their part of a code. */
export function unusedUnits({ V, H, W }: Units): number {
  const width = W.length / V;
  let unused = H;
  for (let h = 0; h < H; h++) {
    for (let v = 0; v < V; v++) {
      if (W[v * width + h] === 0) continue;
      unused--;
      break;
    }
  }
  return unused;
}

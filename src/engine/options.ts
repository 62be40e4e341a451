/** What all engines make of their options. It is apart from the reference engine, which pages do not load. */
import type { Loss } from '../losses/loss.ts';
import type { Side, SolveOptions } from './engine.ts';
import type { AnnealOptions } from './true-bits.ts';

/**
 * The score that linear codes aim at: cross-entropy is nearly content with it. Anything from 5 to 20 serves
 * (docs/notes/solvers.md).
 */
export const LINEAR = 8;

/** Refuses losses without curvature where steps are made of it. */
export function checkCurved(loss: Loss): void {
  if (Number.isFinite(loss.curvature)) return;
  throw new Error(
    `engine: Newton's system needs a Psi without kinks, which loss "${loss.name}" does not have; use solve or polish`,
  );
}

/** Refuses for weights what there is for codes alone. */
export function checkSide(side: Side, { sums, set, linear }: SolveOptions): void {
  if (side !== 'codes' && (sums || set || linear))
    throw new Error("engine: sums, sets and linear codes are for side 'codes' only");
}

/** What the temperature is multiplied by from one iteration to the next. */
export function coolingOf({ hot, cold, iterations }: AnnealOptions): number {
  return (cold / hot) ** (1 / Math.max(1, iterations - 1));
}

/** What all engines make of their options. It is apart from the reference engine, which pages do not load. */
import type { Loss } from '../losses/loss.ts';
import type { AnnealOptions } from './true-bits.ts';

/** Refuses losses without curvature where steps are made of it. */
export function checkCurved(loss: Loss): void {
  if (Number.isFinite(loss.curvature)) return;
  throw new Error(
    `engine: Newton's system needs a Psi without kinks, which loss "${loss.name}" does not have; use solve or polish`,
  );
}

/** What the temperature is multiplied by from one iteration to the next. */
export function coolingOf({ hot, cold, iterations }: AnnealOptions): number {
  return (cold / hot) ** (1 / Math.max(1, iterations - 1));
}

import { type Engine, floatsOf, type Point, type Slopes } from '../../engine/engine.ts';
import type { Loss } from '../../losses/loss.ts';
import { sampled } from '../../losses/sampled.ts';
import { smoothed } from '../../losses/smoothed.ts';

/**
 * A dual point where Psi has kinks, and Newton's method nothing to go by: that of a copy of W at the optimum of a problem
 * whose kinks are rounded off, less and less. At the slopes of Psi itself the bound would be of first order, and next to nothing.
 */
export async function smoothSlopes(engine: Engine, at: Point, ridge: number): Promise<Slopes> {
  const W = floatsOf(engine, await at.W.read());
  try {
    let there = at;
    for (const width of WIDTHS) {
      there = { ...at, W, loss: roundedOff(at.loss, width) };
      for (let step = 0; step < SMOOTH_STEPS; step++)
        await engine.newton('weights', there, { ridge, move: true });
    }
    return await engine.slopes('weights', there, { ridge });
  } finally {
    W.free();
  }
}

/** Widths that kinks are rounded off over, in units of the score, and steps with each. */
const WIDTHS = [1, 0.25, 0.06];
const SMOOTH_STEPS = 4;
/** All that the dual point takes, in Newton's steps on all of W. */
export const PASSES = WIDTHS.length * SMOOTH_STEPS + 2;

/** The same loss with its kinks rounded off over a width. */
export function roundedOff(loss: Loss, width: number): Loss {
  return smoothed(sampled(loss), width);
}

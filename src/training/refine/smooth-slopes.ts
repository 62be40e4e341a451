import { type Engine, floatsOf, type Point, type Slopes } from '../../engine/engine.ts';
import type { Loss } from '../../losses/loss.ts';
import { sampled } from '../../losses/sampled.ts';
import { smoothed } from '../../losses/smoothed.ts';
import { sum } from '../../rows/sum.ts';

/**
 * Dual points where Psi has kinks, and Newton's method nothing to go by: those of a copy of W at the optimum of problems whose
 * kinks are rounded off, less and less, with the copy. At the slopes of Psi itself the bound would be of first order, and next to nothing.
 */
export async function* smoothSlopes(
  engine: Engine,
  at: Point,
  ridge: number,
): AsyncGenerator<{ readonly slopes: Slopes; readonly there: Point }> {
  const { V } = at.shape;
  const W = floatsOf(engine, await at.W.read());
  const decrements = engine.floats(V);
  try {
    for (const width of WIDTHS) {
      const there = { ...at, W, loss: roundedOff(at.loss, width) };
      let promised = Number.POSITIVE_INFINITY;
      for (let step = 0; step < MOST_STEPS && promised > CLOSE; step++) {
        await engine.newton('weights', there, { ridge, move: true, decrements });
        promised = sum(await decrements.read(0, V));
      }
      if (width <= NARROW)
        yield { slopes: await engine.slopes('weights', there, { ridge }), there: { ...at, W } };
    }
  } finally {
    W.free();
    decrements.free();
  }
}

/**
 * Widths that kinks are rounded off over, in units of the score: halved each time, each problem is close to the one before.
 * The first of them are too wide to prove anything.
 */
const WIDTHS = [1, 0.5, 0.25, 0.12, 0.06, 0.03, 0.015, 0.008, 0.004, 0.002];
const NARROW = 0.06;
/** Steps with each, at most, and what one promises in the end, in all: a small ridge makes the gradient that is left expensive. */
const MOST_STEPS = 8;
const CLOSE = 1e-4;
/** About all that a dual point takes, in Newton's steps on all of W. */
export const PASSES = 22;

/** The same loss with its kinks rounded off over a width. */
export function roundedOff(loss: Loss, width: number): Loss {
  return smoothed(sampled(loss), width);
}

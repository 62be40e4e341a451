import { type Engine, floatsOf, type Point, type Slopes } from '../../engine/engine.ts';
import type { Loss } from '../../losses/loss.ts';
import { sampled } from '../../losses/sampled.ts';
import { smoothed } from '../../losses/smoothed.ts';
import { sum } from '../../rows/sum.ts';

/**
 * Dual points where Psi has kinks, and Newton's method nothing to go by: those of the optimum of problems whose kinks are
 * rounded off, less and less. At the slopes of Psi itself the bound would be of first order, and next to nothing.
 *
 * With each come weights that may be best. The optimum moves along pieces of straight lines as the width shrinks, because Psi
 * is linear between its kinks: two widths, one half of the other, tell where it comes to at none.
 */
export async function* smoothSlopes(
  engine: Engine,
  at: Point,
  ridge: number,
): AsyncGenerator<{ readonly slopes: Slopes; readonly candidates: readonly Float32Array[] }> {
  const { V } = at.shape;
  const W = floatsOf(engine, await at.W.read());
  const decrements = engine.floats(V);
  let wider: Float32Array | undefined;
  try {
    for (const width of WIDTHS) {
      const there = { ...at, W, loss: roundedOff(at.loss, width) };
      let promised = Number.POSITIVE_INFINITY;
      for (let step = 0; step < MOST_STEPS && promised > CLOSE; step++) {
        await engine.newton('weights', there, { ridge, move: true, decrements });
        promised = sum(await decrements.read(0, V));
      }
      const best = await W.read();
      const ahead = wider?.map((w, i) => 2 * best[i] - w);
      wider = best;
      if (width > NARROW) continue;
      yield {
        slopes: await engine.slopes('weights', there, { ridge }),
        candidates: ahead ? [best, ahead] : [best],
      };
    }
  } finally {
    W.free();
    decrements.free();
  }
}

/**
 * Widths that kinks are rounded off over, in units of the score: halved each time, each problem is close to the one before.
 * The first of them are too wide to prove anything, and at narrower ones steps in float32 no longer settle.
 */
const WIDTHS = [4, 2, 1, 1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64, 1 / 128, 1 / 256];
const NARROW = 1 / 16;
/** Steps with each, at most, and what one promises in the end, in all: a small ridge makes the gradient that is left expensive. */
const MOST_STEPS = 8;
const CLOSE = 1e-4;
/** About all that a dual point takes, in Newton's steps on all of W. */
export const PASSES = 22;

/** The same loss with its kinks rounded off over a width. */
export function roundedOff(loss: Loss, width: number): Loss {
  return smoothed(sampled(loss), width);
}

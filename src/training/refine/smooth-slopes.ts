import { type Engine, floatsOf, type Point, widthOf } from '../../engine/engine.ts';
import type { Slopes } from '../../engine/proofs.ts';
import { endsOf } from '../../losses/chords.ts';
import type { Loss } from '../../losses/loss.ts';
import { sampled } from '../../losses/sampled.ts';
import { smoothed } from '../../losses/smoothed.ts';
import { sum } from '../../rows/sum.ts';
import { bitLosses } from '../look.ts';

/**
 * Dual points where Psi has kinks, and Newton's method nothing to go by: those of the optimum of problems
 * whose kinks are rounded off, less and less. At the slopes of Psi itself the bound would be of first order,
 * and next to nothing.
 *
 * With each come weights that may be best. The optimum moves along pieces of straight lines as the width
 * shrinks, because Psi is linear between its kinks: two widths, one half of the other, tell where it comes to
 * at none.
 */
export async function* smoothSlopes(
  engine: Engine,
  at: Point,
  ridge: number,
  inTime: () => boolean = () => true,
): AsyncGenerator<{ readonly slopes: Slopes; readonly candidates: readonly Float32Array[] }> {
  const { V } = at.shape;
  const W = floatsOf(engine, await at.W.read());
  const decrements = engine.floats(V);
  let wider: Float32Array | undefined;
  try {
    for (const width of WIDTHS) {
      const there = { ...at, W, loss: roundedOff(at.loss, width) };
      await takeBest(engine, there, startsOf(at, await W.read(), wider));
      let promised = Number.POSITIVE_INFINITY;
      const most = width > NARROW ? FEW_STEPS : MOST_STEPS;
      for (let step = 0; step < most && promised > CLOSE && inTime(); step++) {
        await engine.newton('weights', there, { ridge, move: true, decrements });
        promised = sum(await decrements.read(0, V));
      }
      if (!inTime()) return;
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
 * Where to begin at half the width: rows whose scores were bent before may all lie where nothing bends now,
 * and Newton's method would stay there. The optimum of a bit that is best guessed alike in all rows comes
 * halfway to the kink, others go on along their line.
 */
function startsOf({ shape, loss }: Point, W: Float32Array, wider?: Float32Array): Float32Array[] {
  const width = widthOf(shape);
  const halfway = (score: number) => W.map((w, i) => (w + (i % width === shape.H ? score : 0)) / 2);
  const { from, to } = endsOf(loss);
  return [
    W,
    ...(shape.bias ? [halfway(from), halfway(to)] : []),
    ...(wider ? [W.map((w, i) => 1.5 * w - 0.5 * wider[i])] : []),
  ];
}

/** Gives each bit the best of its weights. */
async function takeBest(engine: Engine, at: Point, starts: readonly Float32Array[]): Promise<void> {
  const width = widthOf(at.shape);
  const best = starts[0].slice();
  let least: Float64Array | undefined;
  for (const start of starts) {
    at.W.write(start);
    const losses = await bitLosses(engine, at);
    least ??= losses.slice();
    for (let v = 0; v < losses.length; v++) {
      if (!(losses[v] < least[v])) continue;
      least[v] = losses[v];
      best.set(start.subarray(v * width, (v + 1) * width), v * width);
    }
  }
  at.W.write(best);
}

/**
 * Widths that kinks are rounded off over, in units of the score: halved each time, each problem is close to
 * the one before. The first of them are too wide to prove anything, and at narrower ones steps in float32 no
 * longer settle.
 */
const WIDTHS = [4, 2, 1, 1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64, 1 / 128, 1 / 256];
const NARROW = 1 / 16;
/**
 * Steps with each, at most: few with widths that only lead to the next one. Bits that units tell apart nearly
 * without errors take ten or more, because few of their rows are where Psi bends, and each step changes
 * which.
 */
const FEW_STEPS = 4;
const MOST_STEPS = 24;
/** What a step promises in the end, in all: a small ridge makes the gradient that is left expensive. */
const CLOSE = 1e-4;
/** About all that a dual point takes, in Newton's steps on all of W. */
export const PASSES = 60;

/** The same loss with its kinks rounded off over a width. */
export function roundedOff(loss: Loss, width: number): Loss {
  return smoothed(sampled(loss), width);
}

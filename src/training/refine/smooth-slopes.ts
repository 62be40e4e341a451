import { type Engine, floatsOf, type Point, widthOf } from '../../engine/engine.ts';
import type { Slopes } from '../../engine/proofs.ts';
import { endsOf } from '../../losses/chords.ts';
import type { Loss } from '../../losses/loss.ts';
import { sampled } from '../../losses/sampled.ts';
import { smoothed } from '../../losses/smoothed.ts';
import { bitLosses } from '../look.ts';
import { descend } from './descend.ts';

/**
 * Dual points for a Psi with kinks, where Newton's method cannot be used. The kinks are rounded off, less and
 * less, and the dual points are those at the optima of the rounded problems. The slopes of Psi itself would
 * give a bound of first order, which proves next to nothing.
 *
 * Each comes with weights that may be the best. Psi is linear between its kinks, so that the optimum moves
 * along straight pieces as the width shrinks: the optima at two widths, one half of the other, point to the
 * one at width 0.
 */
export async function* smoothSlopes(
  engine: Engine,
  at: Point,
  ridge: number,
  inTime: () => boolean = () => true,
): AsyncGenerator<{ readonly slopes: Slopes; readonly candidates: readonly Float32Array[] }> {
  const W = floatsOf(engine, await at.W.read());
  const decrements = engine.floats(at.shape.V);
  let wider: Float32Array | undefined;
  try {
    for (const width of WIDTHS) {
      const there = { ...at, W, loss: roundedOff(at.loss, width) };
      await takeBest(engine, there, startsOf(at, await W.read(), wider));
      const most = width > NARROW ? FEW_STEPS : MOST_STEPS;
      await descend(engine, there, { ridge, most, enough: CLOSE, decrements, inTime });
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
 * Candidates to begin with at half the width. The old optimum alone is not enough: all scores of a bit may
 * now lie where the rounded Psi is straight, and Newton's method would stay there. If a bit is best guessed
 * alike in all rows, its optimum comes halfway to a kink; others go on along their line.
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

/** Puts the best of the candidates into W, bit by bit. */
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
 * Widths over which kinks are rounded off, in units of the score. Each is half the one before, so that each
 * problem is close to the last. Those above `NARROW` are too wide to prove anything; below the last one,
 * steps in float32 no longer settle.
 */
const WIDTHS = [4, 2, 1, 1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64, 1 / 128, 1 / 256];
const NARROW = 1 / 16;
/**
 * The most steps at each width: few at widths that only lead to the next one. Bits whose rows the units tell
 * apart nearly without errors take ten or more: few of their rows lie where Psi bends, and each step changes
 * which.
 */
const FEW_STEPS = 4;
const MOST_STEPS = 24;
/**
 * The expected gain at which steps end, all bits together. It is small, because with a small ridge even a
 * small gradient costs much of the bound.
 */
const CLOSE = 1e-4;
/** About what the whole proof costs, in Newton's steps on all of W. */
export const PASSES = 60;

/** The same loss with its kinks rounded off over a width. */
export function roundedOff(loss: Loss, width: number): Loss {
  return smoothed(sampled(loss), width);
}

import { type Engine, floatsOf, type Point, WIDE, widthOf } from '../../engine/engine.ts';
import type { Bounds, Slopes } from '../../engine/proofs.ts';
import { unproven } from '../../engine/unproven.ts';
import { sum } from '../../rows/sum.ts';
import { descend } from './descend.ts';

/** The proofs that a model keeps of its weights: see `Fitted`. */
interface WeightProof {
  readonly weightGap?: number;
  readonly slackGap?: number;
}

/** Both proofs, for final codes and weights that were fitted to them with this ridge. */
export async function proveWeights(engine: Engine, at: Point, ridge: number): Promise<WeightProof> {
  const weightGap = ridge > 0 ? await ridgedGap(engine, at, ridge) : undefined;
  if (!Number.isFinite(at.loss.curvature)) return { weightGap };
  const slack = sum(await objectivesOf(engine, at, 0));
  return { weightGap, slackGap: await slackGapOf(engine, at, slack) };
}

/**
 * A proven bound on how much other weights could lower the objective, the mean loss + (ridge/2) |W|^2, for
 * the present codes; all bits together. By Fenchel and Young the objective of a bit is, for every w,
 *
 *     f(w) + (ridge/2) |w|^2  >=  g . w - c + (ridge/2) |w|^2  >=  -c - |g|^2 / (2 ridge)
 *
 * with gradient g and conjugate c at the dual point that Newton's step leads to (see `Slopes`), where the
 * bound is of second order. It is computed in float64. The bias has no ridge: it is compared with biases up
 * to `REACH`, beyond which a probability is 1 to more digits than float64 has. If Psi has kinks, the dual
 * points are those of smoothed problems (`smoothSlopes`). An engine on a device has bounds of its own, also
 * of second order, which float32 can prove (docs/gpu.md).
 */
export async function ridgedGap(engine: Engine, at: Point, ridge: number): Promise<number> {
  const { objectives, floors, gaps } = await boundBits(engine, at, ridge);
  return sum(gaps ?? objectives.map((objective, v) => Math.max(0, objective - floors[v])));
}

/** The objective of each bit at its weights, ridge included, and a lower bound on it for all weights. */
export async function boundBits(
  engine: Engine,
  at: Point,
  ridge: number,
  inTime?: () => boolean,
): Promise<BitBounds> {
  if (!Number.isFinite(at.loss.curvature)) return boundKinked(engine, at, ridge, inTime);
  if (engine.bounds) return boundWithin(engine, await engine.bounds(at, ridge, true), at, ridge);
  return boundBySlopes(engine, at, ridge);
}

async function boundBySlopes(
  engine: Engine,
  at: Point,
  ridge: number,
  bits?: Int32Array,
): Promise<BitBounds> {
  const found = await engine.slopes('weights', at, { ridge }, bits);
  const all = await leastOf(at);
  const least = bits ? Float64Array.from(bits, (v) => all[v]) : all;
  return {
    objectives: await withPenalty(found.losses, at, ridge, bits),
    floors: floorsOf(found, at, ridge, least),
  };
}

/** Bounds those bits anew in float64 whose gap by the engine's own bounds is large. */
async function boundWithin(engine: Engine, known: Bounds, at: Point, ridge: number): Promise<BitBounds> {
  if (sum(known.gaps) <= OPEN) return known;
  const open = unproven(known.gaps, OPEN / known.gaps.length);
  const exact = await boundBySlopes(engine, at, ridge, open);
  const [objectives, floors, gaps] = [known.objectives, known.floors, known.gaps].map((each) => each.slice());
  exact.objectives.forEach((objective, i) => {
    const v = open[i];
    objectives[v] = Math.min(objectives[v], objective);
    floors[v] = Math.max(floors[v], exact.floors[i]);
    gaps[v] = Math.min(gaps[v], Math.max(0, objective - exact.floors[i]));
  });
  return { objectives, floors, gaps };
}

/** The gap that the engine's own bounds may leave, in nats, all bits together. */
const OPEN = 4e-3;

/**
 * Rounds kinks off less and less, and keeps the best bound of each bit and the best weights met, until the
 * two are close.
 */
async function boundKinked(
  engine: Engine,
  at: Point,
  ridge: number,
  inTime?: () => boolean,
): Promise<BitBounds> {
  const width = widthOf(at.shape);
  const objectives = await objectivesOf(engine, at, ridge);
  const near = await at.W.read();
  const nearest = objectives.slice();
  const least = await leastOf(at);
  const floors = least.slice();
  const { smoothSlopes } = await import('./smooth-slopes.ts');
  for await (const { slopes, candidates } of smoothSlopes(engine, at, ridge, inTime)) {
    floorsOf(slopes, at, ridge, least).forEach((floor, v) => {
      floors[v] = Math.max(floors[v], floor);
    });
    for (const W of candidates) {
      const there = floatsOf(engine, W);
      const here = await objectivesOf(engine, { ...at, W: there }, ridge);
      there.free();
      here.forEach((objective, v) => {
        if (!(objective < nearest[v])) return;
        nearest[v] = objective;
        near.set(W.subarray(v * width, (v + 1) * width), v * width);
      });
    }
    if (nearest.reduce((gap, objective, v) => gap + objective - floors[v], 0) <= CLOSE) break;
  }
  return { objectives, floors, near };
}

/** How close the best weights met and the bound must come, in the unit of the loss, all bits together. */
const CLOSE = 0.008;

function floorsOf(
  { conjugates, gradients }: Slopes,
  { shape }: Point,
  ridge: number,
  least: Float64Array,
): Float64Array {
  const width = widthOf(shape);
  return conjugates.map((conjugate, v) => {
    let bound = -conjugate;
    let square = 0;
    for (let h = 0; h < width; h++) {
      const g = gradients[v * width + h];
      if (h < shape.H) square += g * g;
      else bound -= REACH * Math.abs(g);
    }
    return bestShare(bound, square / ridge, least[v]);
  });
}

/**
 * What each bit costs at least, whatever its rows and weights: a true bit that is guessed as well as can be.
 * That is 0 or more for most losses, but a loss may be any numbers, also negative ones.
 */
async function leastOf({ block, shape, loss, rowWeights, columnWeights }: Point): Promise<Float64Array> {
  const least = new Float64Array(shape.V);
  const each = Math.min(0, loss.plus(1), loss.minus(-1));
  if (each === 0) return least;
  // Missing entries cost 0, which is more.
  const rows = rowWeights ? sum(await rowWeights.read(0, block.n)) / block.n : 1;
  const columns = await columnWeights?.read();
  return least.map((_, v) => each * rows * (columns?.[v] ?? 1));
}

interface BitBounds {
  readonly objectives: Float64Array;
  readonly floors: Float64Array;
  /** The most that other weights could gain, if it is known to be less than the difference of the two. */
  readonly gaps?: Float64Array;
  /** If Psi has kinks: the best weights met on the way to the floors. */
  readonly near?: Float32Array;
}

/** The objective of each bit at its weights, ridge included. */
export async function objectivesOf(engine: Engine, at: Point, ridge: number): Promise<Float64Array> {
  if (engine.bounds) return (await engine.bounds(at, ridge, false)).objectives;
  const { losses } = await engine.slopes('weights', at);
  return withPenalty(losses, at, ridge);
}

/** Losses of all bits, or of some, with the ridge. */
async function withPenalty(
  losses: Float64Array,
  at: Point,
  ridge: number,
  bits?: Int32Array,
): Promise<Float64Array> {
  const width = widthOf(at.shape);
  const W = await at.W.read();
  return losses.map((loss, i) => {
    const v = bits ? bits[i] : i;
    let penalty = 0;
    for (let h = 0; h < at.shape.H; h++) {
      const w = W[v * width + h];
      penalty += 0.5 * ridge * w * w;
    }
    return loss + penalty;
  });
}

/**
 * The best bound -c - |g|^2 / (2 ridge) between the data themselves (s = 0) and the dual point (s = 1), given
 * `bound` = -c and `square` = |g|^2 / ridge at the dual point. In between, g is s times as large, and Psi*,
 * which is convex, makes -c at least what lies between its two ends: at the data it is `least` or more.
 */
function bestShare(bound: number, square: number, least: number): number {
  const above = bound - least;
  if (!(above > 0)) return least;
  const share = Math.min(1, above / square);
  return least + share * above - 0.5 * share * share * square;
}

/**
 * A proven bound on how much lower the slack could be than `slack`, that of the present weights. If that is
 * next to nothing above what rows cost at least, the difference is the bound.
 */
export async function slackGapOf(engine: Engine, at: Point, slack: number): Promise<number | undefined> {
  // A device sums losses in float32, so that the true slack may be a little larger.
  const most = engine.bounds ? Math.max(slack, sum(await objectivesOf(engine, at, 0))) : slack;
  const above = most - sum(await leastOf(at));
  if (above < NEXT_TO_NOTHING) return Math.max(0, above);
  return Math.max(0, most - (await slackFloor(engine, at)));
}

const NEXT_TO_NOTHING = 0.1;

/**
 * A lower bound on the slack of all weights for the correlations of these codes (Thm. 1), all bits together,
 * without ridge; among weights up to `REACH` for codes of unit deviation. A copy of the weights takes a few
 * steps towards the optimum. The dual point moves along Newton's next step, which takes nearly all of the
 * gradient away, so that the bound is of second order.
 */
export async function slackFloor(engine: Engine, at: Point): Promise<number> {
  const better = floatsOf(engine, await at.W.read());
  try {
    const there = { ...at, W: better };
    const { n, V } = at.block;
    for (let step = 0; step < (V < WIDE || n * V <= SMALL ? STEPS : WIDE_STEPS); step++)
      await engine.newton('weights', there, { ridge: 0, move: true });
    const reach = await reachOf(engine, at);
    const found = await engine.slopes('weights', there, { ridge: 0 });
    const least = await leastOf(at);
    return found.losses.reduce((floor, _, v) => floor + Math.max(least[v], boundOf(found, v, reach)), 0);
  } finally {
    better.free();
  }
}

/**
 * Takes Newton's steps until they promise next to nothing, before `Engine.bounds`: its floors are good only
 * close to the optimum of every bit.
 */
export async function settleWeights(engine: Engine, at: Point, ridge: number): Promise<void> {
  const decrements = engine.floats(at.shape.V);
  const most = at.shape.V < WIDE ? SETTLING_STEPS : WIDE_SETTLING_STEPS;
  await descend(engine, at, { ridge, most, enough: SETTLED_WEIGHTS, decrements });
  decrements.free();
}

/** The most steps, and the expected gain at which they end, in nats, all bits together. */
const SETTLING_STEPS = 12;
const WIDE_SETTLING_STEPS = 4;
const SETTLED_WEIGHTS = 1e-4;

/**
 * Steps of the copy towards the optimum; more of them prove little more. A wide table of many rows is close
 * after one, and its steps take long; one of few rows, whose weights have a long way to go, is not.
 */
const STEPS = 3;
const WIDE_STEPS = 1;
/** The entries of a table whose steps take no time to speak of. */
const SMALL = 2 ** 24;

/** A lower bound on the loss of a bit for all weights within reach. */
function boundOf({ conjugates, gradients }: Slopes, v: number, reach: Float64Array): number {
  const width = reach.length;
  let bound = -conjugates[v];
  for (let h = 0; h < width; h++) bound -= reach[h] * Math.abs(gradients[v * width + h]);
  return bound;
}

/** The largest score that a single weight may contribute, for codes of the usual size. */
const REACH = 64;

/** The largest weight of each unit: `REACH` for codes whose mean square is 1. */
async function reachOf(engine: Engine, { E, block, shape, offset = 0 }: Point): Promise<Float64Array> {
  const width = widthOf(shape);
  const codes = floatsOf(engine, await E.read(offset * width, (offset + block.n) * width));
  const moments = await engine.gram(codes, block.n, width);
  codes.free();
  return Float64Array.from({ length: width }, (_, h) => {
    const size = Math.sqrt(moments[h * (width + 1)] / block.n);
    return size > 0 ? REACH / size : 0;
  });
}

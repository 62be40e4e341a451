import { type Engine, floatsOf, type Point, WIDE, widthOf } from '../../engine/engine.ts';
import type { Bounds, Slopes } from '../../engine/proofs.ts';
import { sum } from '../../rows/sum.ts';

/** What a model says of its weights. */
export interface WeightProof {
  readonly weightGap?: number;
  readonly slackGap?: number;
}

/** Both proofs for codes that are final, where W was fitted to them with this ridge. */
export async function proveWeights(engine: Engine, at: Point, ridge: number): Promise<WeightProof> {
  const weightGap = ridge > 0 ? await ridgedGap(engine, at, ridge) : undefined;
  if (!Number.isFinite(at.loss.curvature)) return { weightGap };
  const slack = sum(await objectivesOf(engine, at, 0));
  return {
    weightGap,
    slackGap: await slackGapOf(engine, at, slack),
  };
}

/**
 * How far W is at most from the best weights for the codes as they are, all bits together, in the unit of the
 * loss per row; (ridge/2) |w|^2 counts for both. Proven in float64: by Fenchel and Young the objective of a
 * bit is, for every w,
 *
 *     f(w) + (ridge/2) |w|^2  >=  g . w - c + (ridge/2) |w|^2  >=  -c - |g|^2 / (2 ridge)
 *
 * with g and c at the dual point that Newton's step leads to (see `Slopes`), where the bound is of second
 * order. The bias has no ridge: it is compared with biases up to `REACH`, beyond which a probability is 1 to
 * more digits than float64 has. Where Psi has kinks the dual points are those of smoothed problems
 * (`smoothSlopes`). An engine on a device has bounds of its own, of second order too, which float32 can prove
 * (docs/gpu.md).
 */
export async function ridgedGap(engine: Engine, at: Point, ridge: number): Promise<number> {
  const { objectives, floors, gaps } = await boundBits(engine, at, ridge);
  return sum(gaps ?? objectives.map((objective, v) => Math.max(0, objective - floors[v])));
}

/**
 * The objective of each bit at its weights, ridge included, and what it is at least for any weights whatever.
 */
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

async function boundBySlopes(engine: Engine, at: Point, ridge: number): Promise<BitBounds> {
  const found = await engine.slopes('weights', at, { ridge });
  return {
    objectives: await withPenalty(found.losses, at, ridge),
    floors: floorsOf(found, at, ridge),
  };
}

/** Bits that an engine's own bounds leave open, in float64: those from the first to the last. */
async function boundWithin(engine: Engine, known: Bounds, at: Point, ridge: number): Promise<BitBounds> {
  if (sum(known.gaps) <= OPEN) return known;
  const open = [...known.gaps.keys()].filter((v) => known.gaps[v] > OPEN / known.gaps.length);
  const start = open[0];
  const end = open[open.length - 1] + 1;
  const exact = await boundBySlopes(engine, { ...at, range: { start, end } }, ridge);
  const [objectives, floors, gaps] = [known.objectives, known.floors, known.gaps].map((each) => each.slice());
  exact.objectives.forEach((objective, i) => {
    const v = start + i;
    objectives[v] = Math.min(objectives[v], objective);
    floors[v] = Math.max(floors[v], exact.floors[i]);
    gaps[v] = Math.min(gaps[v], Math.max(0, objective - exact.floors[i]));
  });
  return { objectives, floors, gaps };
}

/** What all bits together may leave open, in nats. */
const OPEN = 4e-3;

/**
 * The best bound of each bit, and the best weights met, while kinks are rounded off less and less, until the
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
  const least = objectives.slice();
  const floors = new Float64Array(least.length);
  const { smoothSlopes } = await import('./smooth-slopes.ts');
  for await (const { slopes, candidates } of smoothSlopes(engine, at, ridge, inTime)) {
    floorsOf(slopes, at, ridge).forEach((floor, v) => {
      floors[v] = Math.max(floors[v], floor);
    });
    for (const W of candidates) {
      const there = floatsOf(engine, W);
      const here = await objectivesOf(engine, { ...at, W: there }, ridge);
      there.free();
      here.forEach((objective, v) => {
        if (!(objective < least[v])) return;
        least[v] = objective;
        near.set(W.subarray(v * width, (v + 1) * width), v * width);
      });
    }
    if (least.reduce((gap, objective, v) => gap + objective - floors[v], 0) <= CLOSE) break;
  }
  return { objectives, floors, near };
}

/** How close the best weights met and the bound have to be where Psi has kinks, in the unit of the loss. */
const CLOSE = 0.008;

function floorsOf({ conjugates, gradients }: Slopes, { shape }: Point, ridge: number): Float64Array {
  const width = widthOf(shape);
  return conjugates.map((conjugate, v) => {
    let least = -conjugate;
    let square = 0;
    for (let h = 0; h < width; h++) {
      const g = gradients[v * width + h];
      if (h < shape.H) square += g * g;
      else least -= REACH * Math.abs(g);
    }
    return bestShare(least, square / ridge);
  });
}

export interface BitBounds {
  readonly objectives: Float64Array;
  readonly floors: Float64Array;
  /** What other weights could gain at most, where that is known better than as the difference of the two. */
  readonly gaps?: Float64Array;
  /** Where Psi has kinks: the best weights met on the way to the floors. */
  readonly near?: Float32Array;
}

/** The objective of each bit at its weights, ridge included. */
export async function objectivesOf(engine: Engine, at: Point, ridge: number): Promise<Float64Array> {
  if (engine.bounds) return (await engine.bounds(at, ridge, false)).objectives;
  const { losses } = await engine.slopes('weights', at);
  return withPenalty(losses, at, ridge);
}

async function withPenalty(losses: Float64Array, at: Point, ridge: number): Promise<Float64Array> {
  const width = widthOf(at.shape);
  const W = await at.W.read((at.range?.start ?? 0) * width);
  return losses.map((loss, v) => {
    let penalty = 0;
    for (let h = 0; h < at.shape.H; h++) {
      const w = W[v * width + h];
      penalty += 0.5 * ridge * w * w;
    }
    return loss + penalty;
  });
}

/**
 * The best bound from the data themselves (s = 0) to the dual point (s = 1): between them g is s times what
 * it is at the dual point, and the sum of Psi* no more than s times, since Psi* is convex and at most 0 at
 * entries of the data, where no loss is negative.
 */
function bestShare(least: number, square: number): number {
  if (!(least > 0)) return 0;
  const share = Math.min(1, least / square);
  return share * least - 0.5 * share * share * square;
}

/**
 * How much lower at most the slack could be, which is that of the weights as they are. One next to 0 proves
 * itself.
 */
export async function slackGapOf(engine: Engine, at: Point, slack: number): Promise<number | undefined> {
  // What is a sum in float32 may be more.
  const most = engine.bounds ? Math.max(slack, sum(await objectivesOf(engine, at, 0))) : slack;
  if (most < NEXT_TO_NOTHING) return most;
  return Math.max(0, most - (await slackFloor(engine, at)));
}

const NEXT_TO_NOTHING = 0.1;

/**
 * What no weights can go below, all bits together: the least worst case for the correlations of these codes
 * (Thm. 1), without any ridge, among weights up to `REACH` for codes of unit deviation. The dual point
 * belongs to weights that have taken a few steps towards that optimum, and is moved along Newton's next one,
 * which takes nearly all of the gradient away: the bound is of second order.
 */
export async function slackFloor(engine: Engine, at: Point): Promise<number> {
  const better = engine.floats(at.W.length);
  try {
    better.write(await at.W.read());
    const there = { ...at, W: better };
    for (let step = 0; step < (at.shape.V < WIDE ? STEPS : WIDE_STEPS); step++)
      await engine.newton('weights', there, { ridge: 0, move: true });
    const reach = await reachOf(engine, at);
    const found = await engine.slopes('weights', there, { ridge: 0 });
    return found.losses.reduce((floor, _, v) => floor + Math.max(0, boundOf(found, v, reach)), 0);
  } finally {
    better.free();
  }
}

/**
 * Newton's steps until they promise next to nothing, for `Engine.bounds`: its bound holds where no entry's
 * score is far from what it is at the optimum, so that every bit has to be there.
 */
export async function settleWeights(engine: Engine, at: Point, ridge: number): Promise<void> {
  const decrements = engine.floats(at.shape.V);
  let promised = Number.POSITIVE_INFINITY;
  const most = at.shape.V < WIDE ? SETTLING_STEPS : WIDE_SETTLING_STEPS;
  for (let step = 0; step < most && promised > SETTLED_WEIGHTS; step++) {
    await engine.newton('weights', at, { ridge, move: true, decrements });
    promised = sum(await decrements.read());
  }
  decrements.free();
}

/** Steps, at most, and what one promises in the end, in nats, all bits together. */
const SETTLING_STEPS = 12;
const WIDE_SETTLING_STEPS = 4;
const SETTLED_WEIGHTS = 1e-4;

/** Steps towards the optimum: more of them prove little more. */
const STEPS = 3;
/** Of a wide table, where a second one proves nothing more. */
const WIDE_STEPS = 1;

/** What the loss of a bit is at least, for weights within reach. */
function boundOf({ conjugates, gradients }: Slopes, v: number, reach: Float64Array): number {
  const width = reach.length;
  let bound = -conjugates[v];
  for (let h = 0; h < width; h++) bound -= reach[h] * Math.abs(gradients[v * width + h]);
  return bound;
}

/** Scores that a weight may bring about in a code of the usual size. */
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

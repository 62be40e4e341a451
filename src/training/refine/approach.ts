import { type Engine, type Floats, floatsOf, type Point } from '../../engine/engine.ts';
import { sum } from '../../rows/sum.ts';
import { SETTLED } from '../defaults.ts';
import { balanceUnits } from './balance.ts';
import { boundBits, objectivesOf, ridgedGap, settleWeights } from './proof.ts';

/**
 * Weights that are proven without rounds, and the proof. What no weights can go below is found at weights of
 * its own, which take Newton's steps to the optimum, and holds for those that were learned as well. Learned
 * weights that are further from it than is asked move towards that optimum.
 *
 * Codes that nothing holds in take steps of their own first, and most of what is left is then a matter of
 * axes: it vanishes on balanced ones. Where such codes have many units, or rows cost next to nothing, new
 * rows lose by weights at the optimum of their training codes (docs/notes/newton-rounds.md): they move no
 * further than they must. `room` holds one number per bit.
 */
export async function approach(
  engine: Engine,
  at: Point,
  { ridge, room, free, inTime = () => true }: ApproachOptions,
): Promise<number | undefined> {
  for (let step = 0; free && step < CODE_STEPS && inTime(); step++)
    await engine.newton('codes', at, { ridge, move: true });
  if (free && inTime()) await balanceUnits(engine, at.block.n, at);
  const learned = await at.W.read();
  const optimum = { ...at, W: floatsOf(engine, learned) };
  try {
    await goToOptimum(engine, optimum, ridge, room, inTime);
    if (!inTime()) return undefined;
    const { objectives, floors, near } = await boundBits(engine, optimum, ridge, inTime);
    if (!inTime()) return undefined;
    const least = sum(floors);
    const best = near ?? (await optimum.W.read());
    const there = sum(near ? await objectivesAt(engine, optimum, near, ridge) : objectives) - least;
    let gap = sum(await objectivesOf(engine, at, ridge)) - least;
    const whole = !free && there < gap && least > SETTLED;
    // The objective is about a parabola around its minimum: a share of the way back leaves its square of the
    // gap.
    let back = 1;
    const aim = there + AIMED * (ASKED - there);
    while (gap > (whole ? there : ASKED) && back > 0 && inTime()) {
      const share = Math.sqrt((aim - there) / (gap - there));
      back = there < ASKED && back > LITTLE && !whole ? back * share : 0;
      at.W.write(best.map((w, i) => w + back * (learned[i] - w)));
      gap = sum(await objectivesOf(engine, at, ridge)) - least;
    }
    return Math.max(0, gap);
  } finally {
    optimum.W.free();
  }
}

/**
 * The same for codes that stay where they are. Weights stay too, and are proven as they are, if rows held out
 * lose by the move.
 */
export async function approachFrom(
  engine: Engine,
  at: Point,
  { ridge, inTime, validate }: FixedOptions,
): Promise<number | undefined> {
  const before = validate && { W: await at.W.read(), loss: await validate() };
  const room = engine.floats(at.shape.V);
  const gap = await approach(engine, at, { ridge, room, free: false, inTime });
  room.free();
  if (!before || (await validate()) <= before.loss) return gap;
  at.W.write(before.W);
  return ridgedGap(engine, at, ridge);
}

interface FixedOptions {
  readonly ridge: number;
  readonly inTime?: () => boolean;
  /** The mean loss of rows held out, under the weights as they are. */
  readonly validate?: () => Promise<number>;
}

export interface ApproachOptions extends Pick<FixedOptions, 'ridge' | 'inTime'> {
  readonly room: Floats;
  /** Whether nothing holds codes in, and Psi bends: codes take Newton's steps, and units may be turned. */
  readonly free: boolean;
}

/** Where Psi has kinks, Newton's steps are those of `boundBits`. */
async function goToOptimum(
  engine: Engine,
  optimum: Point,
  ridge: number,
  room: Floats,
  inTime: () => boolean,
): Promise<void> {
  if (!Number.isFinite(optimum.loss.curvature)) return;
  if (engine.bounds) return settleWeights(engine, optimum, ridge);
  let promised = Number.POSITIVE_INFINITY;
  for (let step = 0; step < MOST_STEPS && promised > CLOSE && inTime(); step++) {
    await engine.newton('weights', optimum, { ridge, move: true, decrements: room });
    promised = sum(await room.read(0, optimum.shape.V));
  }
}

async function objectivesAt(
  engine: Engine,
  at: Point,
  weights: Float32Array,
  ridge: number,
): Promise<Float64Array> {
  at.W.write(weights);
  return objectivesOf(engine, at, ridge);
}

/** How far from the optimum weights may be, in nats per row, all bits together. */
const ASKED = 0.01;
/** The share of `ASKED` that a move aims at: the objective is not quite a parabola. */
const AIMED = 0.9;
/** So close to the optimum, weights may as well be there. */
const LITTLE = 0.1;
/** Steps on all codes: those of learning are as old as their last visit. */
const CODE_STEPS = 2;
/** Steps to the optimum, at most, and what one promises when it is reached. */
const MOST_STEPS = 8;
const CLOSE = 0.01;

import { type Engine, type Floats, floatsOf, type Point } from '../../engine/engine.ts';
import { sum } from '../../rows/sum.ts';
import { SETTLED } from '../defaults.ts';
import { balanceUnits } from './balance.ts';
import { descend } from './descend.ts';
import { boundBits, objectivesOf, settleWeights } from './proof.ts';

/** How far weights are from the best ones at most: those that were learned, and those moved to. */
interface Approached {
  readonly learned: number;
  readonly gap: number;
}

/**
 * Proves weights without rounds; undefined if there was no time. A copy of the weights takes Newton's steps
 * to the optimum for the present codes; the lower bound found there holds for the learned weights too. If
 * these are further above it than `ASKED`, they move towards the copy.
 *
 * Free codes first take steps of their own, and their units are balanced, which closes most of the gap. With
 * many units, or rows that cost next to nothing, weights at the optimum for the training codes make new rows
 * worse (docs/notes/newton-rounds.md): free weights then move no further than they must.
 */
export async function approach(
  engine: Engine,
  at: Point,
  { ridge, room, free, inTime = () => true }: ApproachOptions,
): Promise<Approached | undefined> {
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
    const asLearned = sum(await objectivesOf(engine, at, ridge)) - least;
    let gap = asLearned;
    const whole = !free && there < gap && least > SETTLED;
    // The objective is about a parabola around its minimum: on a share s of the way from there to the
    // learned weights, the gap is about s^2 times theirs.
    let back = 1;
    const aim = there + AIMED * (ASKED - there);
    while (gap > (whole ? there : ASKED) && back > 0 && inTime()) {
      const share = Math.sqrt((aim - there) / (gap - there));
      back = there < ASKED && back > LITTLE && !whole ? back * share : 0;
      at.W.write(best.map((w, i) => w + back * (learned[i] - w)));
      gap = sum(await objectivesOf(engine, at, ridge)) - least;
    }
    return { learned: Math.max(0, asLearned), gap: Math.max(0, gap) };
  } finally {
    optimum.W.free();
  }
}

/**
 * The proven gap of weights for codes that do not move. If the move of the weights raises the loss of
 * validation rows, it is undone: the proof holds for the weights as they were too.
 */
export async function approachFrom(
  engine: Engine,
  at: Point,
  { ridge, inTime, validate }: FixedOptions,
): Promise<number | undefined> {
  const before = validate && { W: await at.W.read(), loss: await validate() };
  const room = engine.floats(at.shape.V);
  const found = await approach(engine, at, { ridge, room, free: false, inTime });
  room.free();
  if (!found || !before || (await validate()) <= before.loss) return found?.gap;
  at.W.write(before.W);
  return found.learned;
}

interface FixedOptions {
  readonly ridge: number;
  readonly inTime?: () => boolean;
  /** The mean loss of validation rows under the present weights. */
  readonly validate?: () => Promise<number>;
}

interface ApproachOptions extends Pick<FixedOptions, 'ridge' | 'inTime'> {
  /** Storage for one number per bit. */
  readonly room: Floats;
  /** Whether codes are free and Psi has no kinks: codes may take Newton's steps, and units may be turned. */
  readonly free: boolean;
}

/** Newton's steps on the weights. If Psi has kinks, `boundBits` takes them instead. */
async function goToOptimum(
  engine: Engine,
  optimum: Point,
  ridge: number,
  room: Floats,
  inTime: () => boolean,
): Promise<void> {
  if (!Number.isFinite(optimum.loss.curvature)) return;
  if (engine.bounds) return settleWeights(engine, optimum, ridge);
  await descend(engine, optimum, { ridge, most: MOST_STEPS, enough: CLOSE, decrements: room, inTime });
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

/** How far above the optimum weights may be, in nats per row, all bits together. */
const ASKED = 0.01;
/** The share of `ASKED` that a move aims at, because the objective is not quite a parabola. */
const AIMED = 0.9;
/** With this share of the way left or less, weights go to the optimum itself. */
const LITTLE = 0.1;
/** Steps on all codes, which date from their last visit. */
const CODE_STEPS = 2;
/** The most steps to the optimum, and the expected gain of a step at which they end, in nats per row. */
const MOST_STEPS = 8;
const CLOSE = 0.01;

import type { Engine, Floats, Point } from '../../engine/engine.ts';
import { boundBits, objectivesOf } from './proof.ts';

/**
 * Weights that are proven without being refined, and the proof. Where there are many units, or training rows cost next to
 * nothing, new rows lose by weights at the optimum of their training codes (docs/notes/newton-rounds.md). The proof does not need them to be there: what no weights
 * can go below is found at weights of its own, which take Newton's steps to that optimum, and holds for those that were
 * learned as well. Learned weights that are far from it move towards the optimum, until they are within what is asked. `room` holds
 * one number per bit.
 */
export async function approach(
  engine: Engine,
  at: Point,
  ridge: number,
  room: Floats,
  inTime: () => boolean,
): Promise<number | undefined> {
  const { V } = at.shape;
  for (let step = 0; step < CODE_STEPS && inTime(); step++)
    await engine.newton('codes', at, { ridge, move: true });
  const optimum = { ...at, W: engine.floats(at.W.length) };
  try {
    const learned = await at.W.read();
    optimum.W.write(learned);
    let promised = Number.POSITIVE_INFINITY;
    for (let step = 0; step < MOST_STEPS && promised > CLOSE && inTime(); step++) {
      await engine.newton('weights', optimum, { ridge, move: true, decrements: room });
      promised = sum(await room.read(0, V));
    }
    if (!inTime()) return undefined;
    const { objectives, floors } = await boundBits(engine, optimum, ridge);
    const least = sum(floors);
    const best = await optimum.W.read();
    const there = sum(objectives) - least;
    let gap = sum(await objectivesOf(engine, at, ridge)) - least;
    // The objective is about a parabola around its minimum: a share of the way back leaves its square of the gap.
    let back = gap > FAR * least ? 1 : 0;
    const aim = there + AIMED * (ASKED - there);
    while (gap > ASKED && back > 0 && inTime()) {
      back = there < ASKED && back > LITTLE ? back * Math.sqrt((aim - there) / (gap - there)) : 0;
      at.W.write(best.map((w, i) => w + back * (learned[i] - w)));
      gap = sum(await objectivesOf(engine, at, ridge)) - least;
    }
    return Math.max(0, gap);
  } finally {
    optimum.W.free();
  }
}

/** How far from the optimum weights may be, in nats per row, all bits together. */
const ASKED = 0.01;
/** The share of the optimum that weights may be above it and stay: new rows lose more by a move than the proof gains. */
const FAR = 0.1;
/** The share of `ASKED` that a move aims at: the objective is not quite a parabola. */
const AIMED = 0.9;
/** So close to the optimum, weights may as well be there. */
const LITTLE = 0.1;
/** Steps on all codes: those of learning are as old as their last visit. */
const CODE_STEPS = 2;
/** Steps to the optimum, at most, and what one promises when it is reached. */
const MOST_STEPS = 8;
const CLOSE = 0.01;

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

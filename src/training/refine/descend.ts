import type { Engine, Floats, Point } from '../../engine/engine.ts';
import { sum } from '../../rows/sum.ts';

interface DescendOptions {
  readonly ridge: number;
  /** The most steps. */
  readonly most: number;
  /** Steps end once one promises no more than this, in nats, all bits together. */
  readonly enough: number;
  /** Storage for one number per bit. */
  readonly decrements: Floats;
  readonly inTime?: () => boolean;
}

/** Moves weights by Newton's steps towards their optimum for the present codes. */
export async function descend(engine: Engine, at: Point, options: DescendOptions): Promise<void> {
  const { ridge, most, enough, decrements, inTime = () => true } = options;
  let promised = Number.POSITIVE_INFINITY;
  for (let step = 0; step < most && promised > enough && inTime(); step++) {
    await engine.newton('weights', at, { ridge, move: true, decrements });
    promised = sum(await decrements.read(0, at.shape.V));
  }
}

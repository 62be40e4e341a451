import type { Engine, Point } from '../../engine/engine.ts';

/**
 * Rounds of a wide table, as many as still gain something: a Newton step on all codes, then one on W. Each step is the
 * minimum, nearly, in one factor while the other stands still, so that both creep along the valley that they share. W is
 * therefore carried on along the way that the round has moved it, as long as the loss falls.
 */
export async function alternate(
  engine: Engine,
  at: Point,
  ridge: number,
  inTime: () => boolean,
): Promise<void> {
  const { n } = at.block;
  const losses = engine.floats(n);
  let before = Number.POSITIVE_INFINITY;
  let last: Float32Array | undefined;
  for (let round = 0; round < MOST_ROUNDS && inTime(); round++) {
    await engine.newton('codes', at, { ridge, move: true, losses });
    const loss = (await losses.read()).reduce((sum, each) => sum + each, 0) / n;
    if (Math.abs(before - loss) < NOTHING * loss || !inTime()) break;
    await engine.newton('weights', at, { ridge, move: true });
    const W = await at.W.read();
    if (last && loss < before) {
      const from = last;
      at.W.write(W.map((w, i) => w + CARRIED * (w - from[i])));
    }
    last = W;
    before = loss;
  }
  losses.free();
}

/** How much further W is carried, as a share of its way: by all of it the loss rises now and then. */
const CARRIED = 0.75;
/** Rounds at most. */
export const MOST_ROUNDS = 12;
/** The share of the loss that a round has to gain. */
const NOTHING = 6e-3;

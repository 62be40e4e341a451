import type { Engine, Point } from '../../engine/engine.ts';
import { sum } from '../../rows/sum.ts';
import { SETTLED } from '../defaults.ts';
import type { ReportEnding } from '../settle.ts';
import type { Clock } from './clock.ts';

/**
 * Rounds of second order over all rows: a Newton step on all codes, then one on W. Each step nearly minimises
 * the loss in one factor while the other is fixed, so alternation alone creeps along the valley that both
 * share. W therefore goes on in the direction in which the round moved it, further each time, as long as the
 * loss falls. The constants were chosen on validation rows (docs/notes/newton-rounds.md). If a time limit
 * leaves time to spare, there are more rounds than `most`.
 */
export async function alternate(
  engine: Engine,
  at: Point,
  ridge: number,
  { most, enough, carried }: Rounds,
  clock: Clock,
  report?: ReportEnding,
): Promise<void> {
  const { n } = at.block;
  const { H } = at.shape;
  const losses = engine.floats(n);
  let before = Number.POSITIVE_INFINITY;
  // The first round gains most. Others begin only if the weights can still be proven after them.
  const enoughFor = (round: number) =>
    round === 0 ? clock.fits('codes', 'weights') : clock.fits('codes', 'weights', ...AFTER);
  for (let round = 0; (round < most || clock.limited) && enoughFor(round); round++) {
    const loss = await clock.take('codes', async () => {
      await engine.newton('codes', at, { ridge, move: true, losses });
      return sum(await losses.read()) / n;
    });
    report?.('refine', Math.min(1, (round + 0.5) / most), loss);
    if (loss < SETTLED || Math.abs(before - loss) < enough * loss) break;
    const from = await at.W.read();
    await clock.take('weights', async () => {
      await engine.newton('weights', at, { ridge, move: true });
      await clock.renew();
    });
    report?.('refine', Math.min(1, (round + 1) / most), loss);
    const more = (round + 1 < most || clock.limited) && enoughFor(round + 1);
    if (more && loss < before && loss > MUCH * H) {
      const share = carried[Math.min(round, carried.length - 1)];
      at.W.write((await at.W.read()).map((w, i) => w + share * (w - from[i])));
    }
    before = loss;
  }
  losses.free();
}

/** The work after the rounds: steps on W alone, and their proof. */
const AFTER = ['weights', 'weights', 'weights', 'proof'];

export interface Rounds {
  readonly most: number;
  /** The share of the loss that a round has to gain for another one to follow. */
  readonly enough: number;
  /**
   * How far W goes on after each round, as a share of the way that the round moved it. Later rounds use the
   * last number.
   */
  readonly carried: readonly number[];
}

/**
 * The loss in nats per row and unit below which W does not go on: codes then tell their rows apart almost
 * fully, and going further only widens margins, which makes new rows worse.
 */
const MUCH = 0.25;

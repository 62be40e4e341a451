import type { Progress } from '../options.ts';
import type { BitsTrainer } from './trainer.ts';
import type { BitsValidation } from './validate.ts';

/**
 * Picks the ridge on validation rows: from where the relaxation ended, each candidate gets a few rounds of the
 * alternation. The trainer goes on from where the best of them got to.
 */
export async function* chooseBitsRidge(
  trainer: BitsTrainer,
  validation: BitsValidation,
  state: (loss: number) => Progress,
): AsyncGenerator<Progress> {
  const [W, E, at] = [trainer.W.read(), trainer.E.read(), trainer.at];
  let best = { ridge: trainer.ridge, loss: Number.POSITIVE_INFINITY, W, E };
  for (const strength of STRENGTHS) {
    trainer.W.write(W);
    trainer.E.write(E);
    trainer.ridge = strength / trainer.n;
    await trainer.fitWeights(STEPS);
    for (let round = 0; round < ROUNDS; round++) {
      for await (const _ of trainer.searchRound()) yield state(trainer.visitedLoss);
      await trainer.endEpoch();
    }
    // Rounds that are only tried out do not count as epochs.
    trainer.at = at;
    const loss = await validation.loss(trainer);
    const better = loss < best.loss;
    if (better) best = { ridge: trainer.ridge, loss, W: trainer.W.read(), E: trainer.E.read() };
    else break;
  }
  trainer.W.write(best.W);
  trainer.E.write(best.E);
  trainer.ridge = best.ridge;
}

/** Ridges to try, times 1/n, from weak to strong until stronger no longer helps. */
const STRENGTHS = [0.5, 1.5, 4, 12];
const ROUNDS = 2;
const STEPS = 4;

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
  n: number,
  state: (phase: 'ridge', loss: number, rows: number) => Progress,
): AsyncGenerator<Progress, number> {
  const [W, E] = [trainer.W.read(), trainer.E.read()];
  let best = { ridge: trainer.ridge, loss: Number.POSITIVE_INFINITY, W, E };
  for (const strength of STRENGTHS) {
    trainer.W.write(W);
    trainer.E.write(E);
    trainer.ridge = strength / n;
    await trainer.fitWeights(STEPS);
    for (let round = 0; round < ROUNDS; round++) {
      for await (const { loss, rows } of trainer.searchRound(round)) yield state('ridge', loss / rows, 0);
      await trainer.fitWeights(STEPS);
    }
    const loss = await validation.loss(trainer);
    const better = loss < best.loss;
    if (better) best = { ridge: trainer.ridge, loss, W: trainer.W.read(), E: trainer.E.read() };
    else break;
  }
  trainer.W.write(best.W);
  trainer.E.write(best.E);
  return best.ridge;
}

/** Ridges to try, times 1/n, from weak to strong until stronger no longer helps. */
const STRENGTHS = [0.5, 1.5, 4, 12];
const ROUNDS = 2;
const STEPS = 4;

import type { Run } from '../loop/run.ts';
import type { BitsTrainer } from './trainer.ts';
import type { BitsValidation } from './validate.ts';

/**
 * The ridge that the weights suggest: 1/n divided by their prior variance, which is estimated by their mean
 * square at the end of the relaxation.
 */
export async function ridgeFromWeights({ W, n, V, shape, width }: BitsTrainer): Promise<number> {
  let squares = 0;
  for (const [i, w] of (await W.read()).entries()) if (i % width < shape.H) squares += w * w;
  return 1 / n / Math.max(LEAST_VARIANCE, squares / (V * shape.H));
}

/** The least variance, so that weights of rows that hardly differ are not pressed to zero. */
const LEAST_VARIANCE = 0.01;

/**
 * Picks the ridge on validation rows: each candidate gets a few rounds of the alternation from the end of the
 * relaxation. The trainer goes on from the result of the best candidate, or from where it was if time ran out
 * first.
 */
export async function chooseBitsRidge(
  trainer: BitsTrainer,
  validation: BitsValidation,
  run: Run,
): Promise<void> {
  const { course, engine } = run;
  let rounds = 0;
  const W = await trainer.W.read();
  const E = await trainer.E.read();
  const at = trainer.at;
  let best = { ridge: trainer.ridge, loss: Number.POSITIVE_INFINITY, W, E };
  for (const strength of STRENGTHS) {
    trainer.W.write(W);
    trainer.E.write(E);
    trainer.ridge = strength / trainer.n;
    // Given starting weights have no codes yet that they could be fitted to.
    if (trainer.coded) await trainer.fitWeights(STEPS);
    for (let round = 0; round < ROUNDS && !course.over; round++, rounds++) {
      for await (const _ of trainer.searchRound()) {
        await engine.turn();
        if (run.pace.due('ridge')) {
          const fraction = (rounds + trainer.share) / (ROUNDS * STRENGTHS.length);
          const loss = await trainer.visitedLoss();
          run.report({ phase: 'ridge', fraction, epoch: at.epoch, loss });
        }
        if (course.over) break;
      }
      await trainer.endEpoch();
    }
    // Rounds of candidates do not count as epochs.
    trainer.at = at;
    if (course.over) break;
    const loss = await validation.loss(trainer);
    const better = loss < best.loss;
    if (better) best = { ridge: trainer.ridge, loss, W: await trainer.W.read(), E: await trainer.E.read() };
    else break;
  }
  trainer.W.write(best.W);
  trainer.E.write(best.E);
  trainer.ridge = best.ridge;
}

/** Ridges to try, times 1/n, from weak to strong until stronger no longer helps. */
const STRENGTHS = [0.5, 1.5, 4, 12, 30];
const ROUNDS = 2;
const STEPS = 4;

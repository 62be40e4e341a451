import type { Run } from '../loop/run.ts';
import type { BitPhases } from './phases.ts';
import type { BitsValidation } from './validate.ts';

/**
 * The ridge that the weights suggest: 1/n divided by their prior variance, which is estimated by their mean
 * square at the end of the relaxation.
 */
export async function ridgeFromWeights({ W, n, V, shape, width }: BitPhases): Promise<number> {
  let squares = 0;
  for (const [i, w] of (await W.read()).entries()) if (i % width < shape.H) squares += w * w;
  return 1 / n / Math.max(LEAST_VARIANCE, squares / (V * shape.H));
}

/** The least variance, so that weights of rows that hardly differ are not pressed to zero. */
const LEAST_VARIANCE = 0.01;

/**
 * Picks the ridge on validation rows: each candidate gets a few rounds of the alternation from the end of the
 * relaxation. Learning goes on from the result of the best candidate, or from where it was if time ran out
 * first.
 */
export async function chooseBitsRidge(
  phases: BitPhases,
  validation: BitsValidation,
  run: Run,
): Promise<void> {
  const { course, engine } = run;
  let rounds = 0;
  const W = await phases.W.read();
  const E = await phases.E.read();
  const at = phases.at;
  let best = { ridge: phases.ridge, loss: Number.POSITIVE_INFINITY, W, E };
  for (const strength of STRENGTHS) {
    phases.W.write(W);
    phases.E.write(E);
    phases.ridge = strength / phases.n;
    // Given starting weights have no codes yet that they could be fitted to.
    if (phases.coded) await phases.fitWeights(STEPS);
    for (let round = 0; round < ROUNDS && !course.over; round++, rounds++) {
      for await (const _ of phases.searchRound()) {
        await engine.turn();
        if (run.pace.due('ridge')) {
          const fraction = (rounds + phases.share) / (ROUNDS * STRENGTHS.length);
          const loss = await phases.visitedLoss();
          run.report({ phase: 'ridge', fraction, epoch: at.epoch, loss });
        }
        if (course.over) break;
      }
      await phases.endEpoch();
    }
    // Rounds of candidates do not count as epochs.
    phases.at = at;
    if (course.over) break;
    const loss = await validation.loss(phases);
    const better = loss < best.loss;
    if (better) best = { ridge: phases.ridge, loss, W: await phases.W.read(), E: await phases.E.read() };
    else break;
  }
  phases.W.write(best.W);
  phases.E.write(best.E);
  phases.ridge = best.ridge;
}

/** Ridges to try, times 1/n, from weak to strong until stronger no longer helps. */
const STRENGTHS = [0.5, 1.5, 4, 12, 30];
const ROUNDS = 2;
const STEPS = 4;

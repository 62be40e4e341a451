import type { Engine } from '../engine/engine.ts';
import type { TrainingData } from './data.ts';
import type { FastTrainer } from './fast.ts';
import { type FinishSettings, leftToRefine, ROOM } from './finish.ts';
import { rescale } from './scale.ts';
import { type Fitted, settle } from './settle.ts';

/**
 * The final form of codes that were learned in a set other than the box: the set is scaled to size 1. Units
 * are not turned, because a turn would carry codes out of the orthant or the simplex. The orthant has no
 * size; like real codes, its codes get a radius within which they are certified.
 */
export async function finishInSet(
  engine: Engine,
  data: TrainingData,
  trainer: FastTrainer,
  settings: FinishSettings,
): Promise<Fitted> {
  const { H, keepCodes, encoding, radius: size } = settings;
  const n = keepCodes ? data.n : 0;
  const left = await leftToRefine(engine, data, trainer, settings);
  const { proveLearned } = await import('./refine/refine.ts');
  const weightGap = await proveLearned(engine, data, trainer, { ...settings, left });
  let radius = 1;
  if (encoding.bounded) await rescale(trainer, n, new Float64Array(H).fill(size));
  else radius = ROOM * Math.max(1, ...(await trainer.reach()));
  const fitted = await settle(engine, data, await trainer.learnt(), { ...settings, radius, warm: keepCodes });
  return { weightGap, ...fitted };
}

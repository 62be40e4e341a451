import { join } from 'node:path';
import type { OpenedSource } from '../../formats/options.ts';
import { l1Path } from '../../model/path.ts';
import { saveModel } from '../../node/save-model.ts';
import { makeFolder } from '../claim.ts';
import { trainingAndHeld } from '../held-out.ts';
import type { Session } from '../session.ts';
import { showFit } from '../training.ts';
import { fitOptions } from '../training-options.ts';
import type { SweepOptions } from './sweep.ts';
import type { Swept, Trial } from './sweep-trials.ts';

/** `sweep` with several `--l1`: from dense to sparse weights, each model starting from the one before. */
export async function sweepL1(source: OpenedSource, options: SweepOptions, session: Session): Promise<Swept> {
  const { models, force, l1: l1s = [], ridge = [], hidden } = options;
  const [H] = hidden;
  if (models !== undefined) await makeFolder(models);
  const { training, held } = await trainingAndHeld(source, options);
  const steps = await session.withEngine(options.threads, (engine) => {
    const { l1: _, ...learning } = fitOptions({ ...options, l1: 0 }, H);
    return l1Path(training, {
      ...learning,
      l1s,
      ridge: ridge[0],
      heldOut: held,
      engine,
      signal: session.io.signal,
      onProgress: showFit(session),
    });
  });
  const trials: Trial[] = [];
  for (const { model, ...step } of steps) {
    const file = models && join(models, `l1-${step.l1}.safetensors`);
    if (file) await saveModel(file, model, { force });
    const { ridge, weightGap, seconds } = model.training;
    const trial = { H, ridge, ...step, weightGap, seconds, model: file };
    trials.push(trial);
  }
  return { n: training.n, held: held.n, trials };
}

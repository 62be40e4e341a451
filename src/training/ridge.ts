import type { Engine } from '../engine/engine.ts';
import type { TrainingData } from './data.ts';
import { FastTrainer } from './fast.ts';
import type { Run } from './loop/run.ts';
import type { Settings } from './settings.ts';
import type { Validation } from './validate.ts';

/**
 * Picks the ridge that guesses hidden entries of validation rows best after a few epochs. It tries a middle
 * value, then stronger and then weaker ones as long as they help. Every value begins at the same start: a
 * ridge that is too strong makes units vanish, and they would not come back with the next value. If half of
 * the time budget passes before there is anything to compare, the ridge stays as it was.
 */
export async function chooseRidge(
  engine: Engine,
  data: TrainingData,
  settings: Settings,
  start: Float32Array,
  validation: Validation,
  run: Run,
): Promise<{ readonly ridge: number; readonly start: Float32Array }> {
  const { course } = run;
  const deadline = course.seconds + MOST_TIME * course.budget;
  const asItWas = { ridge: settings.ridge, start };
  let best = { ...asItWas, loss: Number.POSITIVE_INFINITY };
  let tried = 0;
  const { steps, entries, patience } = settings.neighbours > 0 ? ROUGH : EXACT;
  const epochs = Math.max(EPOCHS, Math.min(settings.epochs, Math.ceil((steps * settings.batch) / data.n)));
  for (const ridges of [[MIDDLE, ...STRONGER], WEAKER]) {
    // If a stronger ridge than the middle is best, weaker ones are not.
    if (best.ridge > MIDDLE && tried > 0) break;
    for (let worse = 0, k = 0; worse < patience && k < ridges.length; k++, tried++) {
      const ridge = ridges[k];
      const trainer = new FastTrainer(engine, data, { ...settings, ridge }, start);
      try {
        for (let epoch = 0; epoch < epochs; epoch++) {
          for await (const _ of trainer.visits({ share: () => epoch / epochs })) {
            if (run.pace.due('ridge')) {
              const fraction = (tried + epoch / epochs) / MOST;
              const loss = await trainer.visitedLoss();
              run.report({ phase: 'ridge', fraction, epoch, loss, rate: settings.rate });
            }
            // A ridge whose epochs were cut short cannot be compared.
            if (course.seconds >= deadline) return tried < ENOUGH ? asItWas : best;
          }
          trainer.nextEpoch();
        }
        const loss = await validation.entryLoss(trainer, entries);
        worse = loss < best.loss ? 0 : worse + 1;
        if (worse === 0) best = { ridge, loss, start: await trainer.W.read() };
      } finally {
        trainer.free();
      }
    }
  }
  return best;
}

/** The share of a time budget that the choice may take. */
const MOST_TIME = 0.5;
const MIDDLE = 0.1;
const STRONGER = [0.3, 1, 3];
const WEAKER = [3e-2, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5];
const MOST = 1 + STRONGER.length + WEAKER.length;
const EPOCHS = 6;
/**
 * How thoroughly each ridge is tried: the least number of minibatches (small sets have few per epoch, and
 * units take time to vanish), the entries that are hidden, and how many ridges beyond the best are tried in
 * either direction. If neighbours are learned afterwards, rough codes are enough.
 */
const EXACT = { steps: 200, entries: undefined, patience: 2 };
const ROUGH = { steps: 100, entries: 5000, patience: 1 };
/** Ridges that must have been tried before the best of them counts. */
const ENOUGH = 3;

import type { Engine } from '../engine/engine.ts';
import type { TrainingData } from './data.ts';
import { FastTrainer } from './fast.ts';
import type { Progress } from './options.ts';
import type { Settings } from './settings.ts';
import type { Validation } from './validate.ts';

/**
 * Picks the ridge by how well entries hidden from validation rows are guessed after a few epochs from the same start:
 * from strong to weak, until weaker no longer helps, or until `ended` says so. Not from one value's weights to the
 * next: a ridge that is too strong makes units vanish, and they would not come back.
 */
export async function* chooseRidge(
  engine: Engine,
  data: TrainingData,
  settings: Settings,
  start: Float32Array,
  validation: Validation,
  ended: () => boolean,
): AsyncGenerator<Progress, { ridge: number; start: Float32Array }> {
  const began = performance.now();
  let best = { ridge: settings.ridge, loss: Number.POSITIVE_INFINITY, start };
  let worse = 0;
  for (const [index, ridge] of RIDGES.entries()) {
    const trainer = new FastTrainer(engine, data, { ...settings, ridge }, start);
    try {
      for (let epoch = 0; epoch < EPOCHS; epoch++) {
        for await (const _ of trainer.runEpoch(() => epoch / EPOCHS)) {
          yield {
            phase: 'ridge',
            fraction: (index + epoch / EPOCHS) / RIDGES.length,
            epoch,
            loss: trainer.visited.loss / Math.max(1, trainer.visited.rows),
            rate: settings.rate,
            rowsPerSecond: 0,
            seconds: (performance.now() - began) / 1000,
          };
          // A ridge that was not tried to the end cannot be compared.
          if (ended()) return best;
        }
        trainer.endEpoch();
      }
      const loss = await validation.entryLoss(trainer, VALIDATION_RIDGE);
      worse = loss < best.loss ? 0 : worse + 1;
      if (worse === 0) best = { ridge, loss, start: trainer.W.read() };
      else if (worse === PATIENCE) break;
    } finally {
      trainer.free();
    }
  }
  return best;
}

const RIDGES = [3, 1, 0.3, 0.1, 3e-2, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5];
/** Weaker ridges that are tried after the best. */
const PATIENCE = 2;
const EPOCHS = 6;
/** Every candidate's codes are found under the same faint ridge, as new rows' codes will be under none. */
const VALIDATION_RIDGE = 1e-6;

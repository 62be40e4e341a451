import type { Engine } from '../engine/engine.ts';
import type { TrainingData } from './data.ts';
import { FastTrainer } from './fast.ts';
import type { Progress } from './options.ts';
import type { Settings } from './settings.ts';
import type { Validation } from './validate.ts';

/**
 * Picks the ridge on validation rows along a warm-started path: from strong to weak, each value continues from the
 * weights of the one before for a few epochs, until weaker no longer helps, or until `ended` says so.
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
  let W = start;
  for (const [index, ridge] of RIDGES.entries()) {
    const trainer = new FastTrainer(engine, data, { ...settings, ridge }, W);
    try {
      for (let epoch = 0; epoch < EPOCHS; epoch++) {
        for await (const _ of trainer.runEpoch(() => epoch / EPOCHS)) {
          yield {
            phase: 'ridge',
            fraction: (index + epoch / EPOCHS) / RIDGES.length,
            epoch,
            loss: trainer.visited.loss / Math.max(1, trainer.visited.rows),
            validation: best.loss,
            rate: settings.rate,
            rowsPerSecond: 0,
            seconds: (performance.now() - began) / 1000,
          };
          // A ridge that was not tried to the end cannot be compared.
          if (ended()) return best;
        }
        trainer.endEpoch();
      }
      const loss = await validation.loss(trainer, VALIDATION_RIDGE);
      W = trainer.W.read();
      if (loss < best.loss) best = { ridge, loss, start: W };
      else if (index > 1) break;
    } finally {
      trainer.free();
    }
  }
  return best;
}

const RIDGES = [1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5];
const EPOCHS = 6;
/** Every candidate's codes are found under the same faint ridge, as new rows' codes will be under none. */
const VALIDATION_RIDGE = 1e-6;

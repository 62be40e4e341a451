import type { Engine } from '../engine/engine.ts';
import { Encoder } from '../solvers/encode.ts';
import type { TrainingData } from './data.ts';
import type { FastTrainer } from './fast.ts';
import { pricesOf } from './prices.ts';
import { relaxedGap } from './relaxed-certificate.ts';
import { relaxWeights } from './relaxed-weights.ts';
import type { Settings } from './settings.ts';
import { type Fitted, settle } from './settle.ts';

/**
 * The ending of a relaxed model, in the box of radius 1: the best weights for the codes, once more codes for those weights
 * and weights for those codes, then the codes that encoding the rows again would give, as for every model. What the
 * weights are still missing for these last codes is proven to be little. Where codes are not kept, W stays as learning
 * left it.
 */
export async function finishRelaxed(
  engine: Engine,
  data: TrainingData,
  trainer: FastTrainer,
  settings: Settings,
): Promise<Fitted> {
  const { keepCodes, loss, set } = settings;
  const { shape, W, E } = trainer;
  const options = { ...settings, radius: 1, warm: keepCodes };
  if (!keepCodes) return settle(engine, data, trainer, options);
  const columnWeights = data.columnWeights?.values;
  const prices = pricesOf(settings, shape.V, 1, columnWeights)!;
  const problem = { data, shape, W, E, loss, prices };
  await relaxWeights(engine, problem, TOLERANCE);
  const curvature = Float32Array.from(trainer.curvature);
  const decoder = { shape, W: await W.read(), loss, radius: 1, set, curvature, columnWeights };
  const encoder = await Encoder.create(engine, decoder);
  for await (const { block, offset } of data.blocks()) await encoder.approach(block, E, CODE_STEPS, offset);
  encoder.free();
  await relaxWeights(engine, problem, TOLERANCE);
  const fitted = await settle(engine, data, trainer, options);
  return settings.certify ? { ...fitted, weightGap: await relaxedGap(engine, problem) } : fitted;
}

/** Nats per row that another round on the weights should gain, to be worth it. */
const TOLERANCE = 1e-3;
/** Steps on codes that are nearly there. */
const CODE_STEPS = 10;

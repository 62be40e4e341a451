import type { Engine } from '../../engine/engine.ts';
import { Encoder } from '../../solvers/encode.ts';
import type { TrainingData } from '../data.ts';
import type { FastTrainer } from '../fast.ts';
import { pricesOf } from '../prices.ts';
import type { Settings } from '../settings.ts';
import { type Fitted, settle, settleSeconds } from '../settle.ts';
import { relaxedGap } from './certificate.ts';
import { relaxWeights } from './weights.ts';

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
  settings: Settings & { readonly left?: () => number },
): Promise<Fitted> {
  const { keepCodes, loss, set } = settings;
  const { shape, W, E } = trainer;
  const options = { ...settings, radius: 1, warm: keepCodes };
  if (!keepCodes) return settle(engine, data, await trainer.learnt(), options);
  const columnWeights = data.columnWeights?.values;
  const prices = pricesOf(settings, shape.V, 1, columnWeights)!;
  const problem = { data, shape, W, E, loss, prices };
  const { left } = settings;
  const began = performance.now();
  const settling = left ? await settleSeconds(engine, data, await trainer.learnt(), settings) : 0;
  const over = left && (() => left() < MARGIN * settling);
  await relaxWeights(engine, problem, TOLERANCE, undefined, over);
  const curvature = Float32Array.from(await trainer.bends.read());
  const decoder = { shape, W: await W.read(), loss, radius: 1, set, curvature, columnWeights };
  const encoder = await Encoder.create(engine, decoder);
  for await (const { block, offset } of data.blocks()) await encoder.approach(block, E, CODE_STEPS, offset);
  encoder.free();
  await relaxWeights(engine, problem, TOLERANCE, undefined, over);
  const fitted = await settle(engine, data, await trainer.learnt(), options);
  // The proof takes about as long as all that was proven so far.
  const spent = (performance.now() - began) / 1000;
  return settings.certify && !(left && left() < spent)
    ? { ...fitted, weightGap: await relaxedGap(engine, problem) }
    : fitted;
}

/** How much longer than expected the codes may take. */
const MARGIN = 1.3;
/** Nats per row that another round on the weights should gain, to be worth it. */
const TOLERANCE = 1e-3;
/** Steps on codes that are nearly there. */
const CODE_STEPS = 10;

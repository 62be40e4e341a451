import type { Engine } from '../../engine/engine.ts';
import { Encoder } from '../../solvers/encode.ts';
import type { TrainingData } from '../data.ts';
import type { FastTrainer } from '../fast.ts';
import { type FinishSettings, leftToRefine } from '../finish.ts';
import { pricesOf } from '../prices.ts';
import { type Fitted, settle } from '../settle.ts';
import { relaxedGap } from './certificate.ts';
import { relaxWeights } from './weights.ts';

/**
 * The ending of a relaxed model, in the box of radius 1: the best weights for the codes, once more codes for
 * those weights and weights for those codes, then the codes that encoding the rows again would give, as for
 * every model. For these last codes, the weights are proven to be close to optimal. If codes are not kept, W
 * stays as learning left it.
 */
export async function finishRelaxed(
  engine: Engine,
  data: TrainingData,
  trainer: FastTrainer,
  settings: FinishSettings,
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
  const toRelax = await leftToRefine(engine, data, trainer, { ...settings, radius: 1 });
  const over = toRelax && (() => toRelax() < 0);
  const curvature = Float32Array.from(await trainer.bends.read());
  await relaxWeights(engine, problem, { tolerance: TOLERANCE, over });
  // Remaining time goes into more rounds, each of which lowers the objective.
  let coding = 0;
  for (let round = 0; round < ROUNDS || (toRelax && toRelax() > 2 * coding); round++) {
    const start = performance.now();
    const decoder = { shape, W: await W.read(), loss, radius: 1, set, curvature, columnWeights };
    const encoder = await Encoder.create(engine, decoder);
    for await (const { block, offset } of data.blocks())
      await encoder.approach({ block, E, offset }, CODE_STEPS);
    encoder.free();
    coding = (performance.now() - start) / 1000;
    await relaxWeights(engine, problem, { tolerance: TOLERANCE, over });
    await toRelax?.renew();
  }
  const fitted = await settle(engine, data, await trainer.learnt(), options);
  // The proof takes about as long as everything proven so far.
  const spent = (performance.now() - began) / 1000;
  return settings.certify && !(left && left() < spent)
    ? { ...fitted, weightGap: await relaxedGap(engine, problem) }
    : fitted;
}

/** Rounds of codes and weights, at least. */
const ROUNDS = 1;
/** Nats per row that another round on the weights should gain, to be worth it. */
const TOLERANCE = 1e-3;
/** Steps on codes that are nearly there. */
const CODE_STEPS = 10;

import { fit } from 'pc-ae';
import { permutation, takeRows } from 'pc-ae/rows';
import { z } from 'zod';
import { toJson } from '../json.ts';
import { rowsFromBytes } from '../rows-file.ts';
import type { Work } from './bench.ts';

/** One model of a sweep: learned from nine tenths of the sample, judged by hidden entries of the rest. */
export const trialWork: Work = async (task, bench) => {
  const { H, ridge, seed } = task.options;
  const rows = rowsFromBytes(await bench.store.get(task.inputs.sample, 'the sample'));
  const order = permutation(rows.n, Number(seed));
  const kept = rows.n - Math.max(1, Math.floor(HELD_OUT * rows.n));
  const held = takeRows(rows, order.subarray(kept));
  const { engine } = bench;
  const model = await fit(takeRows(rows, order.subarray(0, kept)), {
    ...{ H: Number(H), seed: Number(seed), engine },
    ...(ridge !== undefined && { ridge: Number(ridge) }),
  });
  const { entryLoss, entryLossAtBaseRates } = await model.chooseShrink(held, { engine });
  const trial: Trial = {
    ...{ H: Number(H), ridge: model.training.ridge, trainingLoss: model.training.loss },
    heldOutLoss: (await model.evaluate(held, { engine })).loss,
    ...{ entryLoss, entryLossAtBaseRates },
  };
  return { trial: toJson(trial) };
};

/** Losses are means per row, and of hidden entries means per entry, in nats. */
export type Trial = z.infer<typeof trialSchema>;

export const trialSchema = z.object({
  ...{ H: z.number(), ridge: z.number(), trainingLoss: z.number(), heldOutLoss: z.number() },
  ...{ entryLoss: z.number(), entryLossAtBaseRates: z.number() },
});

const HELD_OUT = 0.1;

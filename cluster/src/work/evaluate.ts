import type { LossReport } from 'pc-ae';
import { z } from 'zod';
import { toJson } from '../json.ts';
import type { Work } from './bench.ts';

/** How well a shard's rows are reconstructed, as sums over its rows. */
export const evalWork: Work = async (task, bench) => {
  const model = await bench.model(task.inputs.model);
  const report = await model.evaluate(await bench.rows(task), {
    engine: bench.engine,
    tolerance: Number(task.options.tolerance),
  });
  return { sums: toJson(sumsOf(report)) };
};

/** Sums over rows, which add up over shards; `max` and `flipOptimal` are extremes. */
export type EvalSums = z.infer<typeof evalSums>;

export const evalSums = z.object({
  n: z.number(),
  loss: z.number(),
  /** Of bounded losses only. */
  decodedLoss: z.optional(z.number()),
  lossWithEscape: z.number(),
  escaped: z.number(),
  entries: z.number(),
  gap: z.number(),
  max: z.number(),
  hamming: z.number(),
  uncertified: z.number(),
});

function sumsOf(report: LossReport): EvalSums {
  const { n, loss, decodedLoss, lossPerBit, lossWithEscape, escaped, gap, hamming, uncertified } = report;
  return {
    ...{ n, escaped, uncertified },
    ...{ loss: n * loss, lossWithEscape: n * lossWithEscape, hamming: n * hamming },
    ...(decodedLoss !== undefined && { decodedLoss: n * decodedLoss }),
    // Known entries: what the two means differ by.
    entries: lossPerBit > 0 ? Math.round((n * loss) / lossPerBit) : 0,
    ...{ gap: n * gap.mean, max: gap.max },
  };
}

import type { LossReport, PCAE } from 'pc-ae';
import { type Crew, complete } from '../complete.ts';
import { fromJson } from '../json.ts';
import { treeSum } from '../sum.ts';
import { type EvalSums, evalSums } from '../work/evaluate.ts';
import { type ShardedTable, tasksOf } from './table.ts';

/** What adds up over shards of a `LossReport`: all but bound, drift and what depends on the order of rows. */
type TableReport = Pick<
  LossReport,
  | 'n'
  | 'loss'
  | 'decodedLoss'
  | 'lossPerBit'
  | 'lossWithEscape'
  | 'escaped'
  | 'gap'
  | 'hamming'
  | 'uncertified'
  | 'tolerance'
>;

/** How well all rows of a table are reconstructed, each from its own optimal code. */
export async function evaluateTable(
  table: ShardedTable,
  model: PCAE,
  crew: Crew,
  { tolerance = 0.01 }: { readonly tolerance?: number } = {},
): Promise<TableReport> {
  const inputs = { model: await crew.store.put(model.save()) };
  const tasks = tasksOf(table, 'eval', () => ({ inputs, options: { tolerance } }));
  const parts: EvalSums[] = [];
  for (const { outputs } of await complete(tasks, crew)) {
    parts.push(fromJson(evalSums, await crew.store.get(outputs.sums, 'losses of a shard')));
  }
  const [n, loss, decodedLoss, lossWithEscape, escaped, entries, gap, hamming, uncertified] = treeSum(
    parts.map((part) => [
      ...[part.n, part.loss, part.decodedLoss ?? 0, part.lossWithEscape, part.escaped, part.entries],
      ...[part.gap, part.hamming, part.uncertified],
    ]),
  );
  return {
    ...{ n, escaped, uncertified, tolerance },
    ...{ loss: loss / n, lossWithEscape: lossWithEscape / n, hamming: hamming / n },
    ...(parts.some((part) => part.decodedLoss !== undefined) && { decodedLoss: decodedLoss / n }),
    lossPerBit: loss / Math.max(entries, Number.MIN_VALUE),
    gap: { mean: gap / n, max: Math.max(...parts.map((part) => part.max)) },
  };
}

import { type Crew, complete } from '../complete.ts';
import { fromJson } from '../json.ts';
import type { Task } from '../task.ts';
import { type Trial, trialSchema } from '../work/trial.ts';
import { drawSample } from './sample.ts';
import { type ShardedTable, tasksOf } from './table.ts';

interface SweepJobOptions {
  /** Sizes to try. */
  readonly Hs: readonly number[];
  /** Ridges to try with each. Default: the one that `fit` uses. */
  readonly ridges?: readonly number[];
  /** Rows drawn of all shards, that every model learns from. Default 20,000. */
  readonly sampleRows?: number;
  readonly seed?: number;
}

/** A model per size and ridge, each learned by one worker from the same sample of the table. */
export async function sweepTable(
  table: ShardedTable,
  { Hs, ridges, sampleRows, seed = 1 }: SweepJobOptions,
  crew: Crew,
): Promise<Trial[]> {
  const ask = (tasks: readonly Task[]) => complete(tasks, crew);
  const inputs = { sample: await drawSample(table, crew, { rows: sampleRows, seed, ask }) };
  const choices = Hs.flatMap((H) => (ridges ? ridges.map((ridge) => ({ H, ridge, seed })) : [{ H, seed }]));
  const tasks = choices.flatMap((options) =>
    tasksOf(table, 'trial', () => ({ inputs, options })).slice(0, 1),
  );
  const trials: Trial[] = [];
  for (const { outputs } of await complete(tasks, crew)) {
    trials.push(fromJson(trialSchema, await crew.store.get(outputs.trial, 'a trial')));
  }
  return trials;
}

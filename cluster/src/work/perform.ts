import type { Task, TaskKind } from '../task.ts';
import type { Bench, Work } from './bench.ts';
import { encodeWork } from './encode.ts';
import { evalWork } from './evaluate.ts';
import { imputeWork, shrinkWork } from './impute.ts';
import { roundWork } from './round.ts';
import { searchWork } from './search.ts';
import { settleWork } from './settle.ts';
import { sampleWork, startWork } from './start.ts';
import { trialWork } from './trial.ts';

/** Does a task and puts what comes of it into the store: gives the hashes of its outputs. */
export async function perform(task: Task, bench: Bench): Promise<Record<string, string>> {
  if (task.kind === 'aim' || task.kind === 'step')
    throw new RangeError(`'${task.kind}' is the coordinator's own work`);
  const work = WORKS[task.kind];
  const outputs: Record<string, string> = {};
  for (const [name, bytes] of Object.entries(await work(task, bench)))
    outputs[name] = await bench.store.put(bytes);
  return outputs;
}

const WORKS: Readonly<Record<Exclude<TaskKind, 'aim' | 'step'>, Work>> = {
  sample: sampleWork,
  start: startWork,
  round: roundWork,
  search: searchWork,
  settle: settleWork,
  encode: encodeWork,
  eval: evalWork,
  shrink: shrinkWork,
  impute: imputeWork,
  trial: trialWork,
};

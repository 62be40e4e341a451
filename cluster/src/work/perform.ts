import type { Task, TaskKind } from '../task.ts';
import type { Bench, Work } from './bench.ts';
import { encodeWork } from './encode.ts';
import { evalWork } from './evaluate.ts';

/** Does a task and puts what comes of it into the store: gives the hashes of its outputs. */
export async function perform(task: Task, bench: Bench): Promise<Record<string, string>> {
  const work = WORKS[task.kind];
  const outputs: Record<string, string> = {};
  for (const [name, bytes] of Object.entries(await work(task, bench)))
    outputs[name] = await bench.store.put(bytes);
  return outputs;
}

const WORKS: Readonly<Record<TaskKind, Work>> = {
  encode: encodeWork,
  eval: evalWork,
};

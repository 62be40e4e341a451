import type { PCAE } from 'pc-ae';
import { type Crew, complete } from '../complete.ts';
import { readCodes, type ShardCodes } from '../work/encode.ts';
import { type ShardedTable, tasksOf } from './table.ts';

interface EncodeJobOptions {
  /** Each code is proven to be within this many nats of its optimum. Default 0.01. */
  readonly tolerance?: number;
}

/**
 * The codes of all rows of a table, shard by shard in its order: those that `model.encode` gives on one
 * machine.
 */
export async function* encodeTable(
  table: ShardedTable,
  model: PCAE,
  crew: Crew,
  { tolerance = 0.01 }: EncodeJobOptions = {},
): AsyncGenerator<ShardCodes> {
  const inputs = { model: await crew.store.put(model.save()) };
  const tasks = tasksOf(table, 'encode', () => ({ inputs, options: { tolerance } }));
  for (const { outputs } of await complete(tasks, crew))
    yield readCodes(await crew.store.get(outputs.codes, 'codes of a shard'));
}

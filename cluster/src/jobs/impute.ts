import type { PCAE } from 'pc-ae';
import { readSafetensors } from 'pc-ae/formats';
import { z } from 'zod';
import { type Crew, complete } from '../complete.ts';
import { fromJson } from '../json.ts';
import { type ShardedTable, tasksOf } from './table.ts';

interface ImputeJobOptions {
  /**
   * How far codes are drawn towards 0. Default: what guesses hidden entries of the first shard's rows best.
   */
  readonly shrink?: number;
}

/**
 * All rows of a table with their unknown entries filled in (rows x V, in [-1, 1]), shard by shard in its
 * order.
 */
export async function* imputeTable(
  table: ShardedTable,
  model: PCAE,
  crew: Crew,
  options: ImputeJobOptions = {},
): AsyncGenerator<Float32Array> {
  const inputs = { model: await crew.store.put(model.save()) };
  const shrink = options.shrink ?? (await shrinkOf(table, inputs, crew));
  const tasks = tasksOf(table, 'impute', () => ({ inputs, options: { shrink } }));
  for (const { outputs } of await complete(tasks, crew)) {
    const bytes = await crew.store.get(outputs.rows, 'filled rows of a shard');
    yield readSafetensors(bytes, 'filled rows').tensors.get('values')!.data as Float32Array;
  }
}

async function shrinkOf(
  table: ShardedTable,
  inputs: { readonly model: string },
  crew: Crew,
): Promise<number> {
  const [task] = tasksOf(table, 'shrink', () => ({ inputs, options: {} }));
  const [{ outputs }] = await complete([task], crew);
  return fromJson(z.object({ shrink: z.number() }), await crew.store.get(outputs.shrink, 'the shrink'))
    .shrink;
}

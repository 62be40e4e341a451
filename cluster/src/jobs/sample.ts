import { collect, type Rows } from 'pc-ae/rows';
import type { Crew } from '../complete.ts';
import { rowsFromBytes, rowsToBytes } from '../rows-file.ts';
import type { Answer, Task } from '../task.ts';
import { type ShardedTable, tasksOf } from './table.ts';

/** Rows drawn of all shards, in proportion to what they hold: the hash of their blob. */
export async function drawSample(
  table: ShardedTable,
  crew: Crew,
  { rows = SAMPLE_ROWS, seed, ask }: SampleOptions,
): Promise<string> {
  const { shards, n } = table.manifest;
  const drawing = tasksOf(table, 'sample', (shard) => ({
    inputs: {},
    options: { seed, count: Math.ceil((Math.min(rows, n) * shards[shard].rows) / n) },
  }));
  const drawn: Rows[] = [];
  for (const { outputs } of await ask(drawing))
    drawn.push(rowsFromBytes(await crew.store.get(outputs.rows, 'a sample')));
  const total = drawn.reduce((sum, part) => sum + part.n, 0);
  const chunks = async function* () {
    yield* drawn;
  };
  return crew.store.put(rowsToBytes(await collect({ n: total, V: drawn[0].V, chunks })));
}

interface SampleOptions {
  readonly rows?: number;
  readonly seed: number;
  /** Has the tasks done, one per shard. */
  readonly ask: (tasks: readonly Task[]) => Promise<Answer[]>;
}

const SAMPLE_ROWS = 20_000;

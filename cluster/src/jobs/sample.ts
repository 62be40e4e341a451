import { collect, type Rows } from 'pc-ae/rows';
import { type Crew, complete } from '../complete.ts';
import { rowsFromBytes, rowsToBytes } from '../rows-file.ts';
import { type ShardedTable, tasksOf } from './table.ts';

/** Rows drawn of all shards, in proportion to what they hold: the hash of their blob. */
export async function drawSample(
  table: ShardedTable,
  crew: Crew,
  { rows = SAMPLE_ROWS, seed }: { readonly rows?: number; readonly seed: number },
): Promise<string> {
  const { shards, n } = table.manifest;
  const drawing = tasksOf(table, 'sample', (shard) => ({
    inputs: {},
    options: { seed, count: Math.ceil((Math.min(rows, n) * shards[shard].rows) / n) },
  }));
  const drawn: Rows[] = [];
  for (const { outputs } of await complete(drawing, crew))
    drawn.push(rowsFromBytes(await crew.store.get(outputs.rows, 'a sample')));
  const total = drawn.reduce((sum, part) => sum + part.n, 0);
  const chunks = async function* () {
    yield* drawn;
  };
  return crew.store.put(rowsToBytes(await collect({ n: total, V: drawn[0].V, chunks })));
}

const SAMPLE_ROWS = 20_000;

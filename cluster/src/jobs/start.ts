import { collect, type Rows } from 'pc-ae/rows';
import { complete } from '../complete.ts';
import { rowsFromBytes, rowsToBytes } from '../rows-file.ts';
import type { TrainJob, TrainJobOptions } from './job.ts';
import { tasksOf } from './table.ts';

/** The weights that one machine learns from rows drawn of all shards: the hash of their blob. */
export async function startOf(
  { table, crew, H, n, seed }: TrainJob,
  { sampleRows = SAMPLE_ROWS, sampleEpochs = 0 }: TrainJobOptions,
): Promise<string> {
  const { shards } = table.manifest;
  const drawing = tasksOf(table, 'sample', (shard) => ({
    inputs: {},
    options: { seed, count: Math.ceil((Math.min(sampleRows, n) * shards[shard].rows) / n) },
  }));
  const drawn: Rows[] = [];
  for (const { outputs } of await complete(drawing, crew))
    drawn.push(rowsFromBytes(await crew.store.get(outputs.rows, 'a sample')));
  const total = drawn.reduce((sum, rows) => sum + rows.n, 0);
  const chunks = async function* () {
    yield* drawn;
  };
  const sample = await crew.store.put(rowsToBytes(await collect({ n: total, V: drawn[0].V, chunks })));
  const [learning] = tasksOf(table, 'start', () => ({
    inputs: { sample },
    options: { H, seed, epochs: sampleEpochs },
  }));
  const [{ outputs }] = await complete([learning], crew);
  return outputs.weights;
}

const SAMPLE_ROWS = 20_000;

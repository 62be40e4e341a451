import { complete } from '../complete.ts';
import type { TrainJob, TrainJobOptions } from './job.ts';
import { drawSample } from './sample.ts';
import { tasksOf } from './table.ts';

/** The weights that one machine learns from rows drawn of all shards: the hash of their blob. */
export async function startOf(
  { table, crew, H, seed }: TrainJob,
  { sampleRows, sampleEpochs = 0 }: TrainJobOptions,
): Promise<string> {
  const sample = await drawSample(table, crew, { rows: sampleRows, seed });
  const [learning] = tasksOf(table, 'start', () => ({
    inputs: { sample },
    options: { H, seed, epochs: sampleEpochs },
  }));
  const [{ outputs }] = await complete([learning], crew);
  return outputs.weights;
}

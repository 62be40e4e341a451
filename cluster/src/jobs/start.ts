import { complete } from '../complete.ts';
import type { TrainJob, TrainJobOptions } from './job.ts';
import { drawSample } from './sample.ts';
import { tasksOf } from './table.ts';

/** The weights that one machine learns from rows drawn of all shards: the hash of their blob. */
export async function startOf(
  { table, crew, deal, H, seed }: TrainJob,
  { sampleRows, sampleEpochs = 0 }: TrainJobOptions,
): Promise<string> {
  const ask = deal.askEach.bind(deal);
  const sample = await drawSample(table, crew, { rows: sampleRows, seed, ask });
  const [learning] = tasksOf(table, 'start', () => ({
    inputs: { sample },
    options: { H, seed, epochs: sampleEpochs },
  }));
  const [{ outputs }] = await complete([learning], crew);
  return outputs.weights;
}

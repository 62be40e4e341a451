import { fit } from 'pc-ae';
import { permutation, takeRows } from 'pc-ae/rows';
import { rowsFromBytes, rowsToBytes } from '../rows-file.ts';
import type { Work } from './bench.ts';
import { arraysToBytes } from './weights-file.ts';

/** Some rows of a shard, drawn by a seed. */
export const sampleWork: Work = async (task, bench) => {
  const rows = await bench.rows(task);
  const { count, seed } = task.options;
  const chosen = permutation(rows.n, Number(seed) + task.shards[0][0]).subarray(0, Number(count));
  const { ids: _, ...drawn } = takeRows(rows, chosen);
  return { rows: rowsToBytes(drawn) };
};

/**
 * Where learning begins: what one machine learns from the sample, with codes in R^H of about unit variance.
 */
export const startWork: Work = async (task, bench) => {
  const { H, seed, epochs } = task.options;
  const rows = rowsFromBytes(await bench.store.get(task.inputs.sample, 'the sample'));
  const { W, curvature } = await fit(rows, {
    ...{ H: Number(H), seed: Number(seed), encoding: 'real', certify: false, engine: bench.engine },
    ...(Number(epochs) > 0 && { epochs: Number(epochs) }),
  });
  // As the state that a round leaves: nothing has led anywhere yet.
  const [reach, numbers] = [new Float64Array(Number(H)), Float64Array.of(0, Number.POSITIVE_INFINITY, 0)];
  return { weights: arraysToBytes({ W, G: W, curvature, reach, numbers }) };
};

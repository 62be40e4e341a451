import type { HistoryEntry, PCAE } from 'pc-ae';
import { widthOf } from 'pc-ae/engine';
import type { Crew } from '../complete.ts';
import type { TrainJob, TrainJobOptions } from './job.ts';
import { firstStanding, nextStanding, type RoundState, readState, tidy } from './round.ts';
import { settled } from './settled.ts';
import { startOf } from './start.ts';
import type { ShardedTable } from './table.ts';

/**
 * Learns a model of a table in rounds. It begins with what one machine learns from a sample (`start.ts`). Each round then brings all
 * codes on and takes a step of W (`round.ts`), as the rounds that `fit` ends with. At last all codes are proven and the model
 * remembers what it does of the data (`settled.ts`).
 *
 * Every step is a task with an answer in the store, those of the coordinator too: a run that is started again goes on.
 */
export async function trainTable(table: ShardedTable, options: TrainJobOptions, crew: Crew): Promise<PCAE> {
  const { H, encoding = 'box', rounds = ROUNDS, seed = 1 } = options;
  const { n, V } = table.manifest;
  const job: TrainJob = { table, crew, H, V, n, width: widthOf({ H, bias: true }), ridge: RIDGE / n, seed };
  let at = await firstStanding(job, await startOf(job, options));
  const history: HistoryEntry[] = [];
  let state: RoundState | undefined;
  for (let round = 1; round <= rounds; round++) {
    at = await nextStanding(job, round, at);
    state = await readState(job, at.weights);
    history.push({ epoch: round, seconds: 0, loss: state.loss, rate: 1 });
    options.onRound?.(round, state.loss);
  }
  if (!state) throw new RangeError(`train: rounds must be a whole number above 0, got ${rounds}`);
  const model = await settled(job, state, encoding, history);
  await tidy(job, at);
  return model;
}

const ROUNDS = 10;
/** `fit`'s own: a prior of about unit strength on each weight. */
const RIDGE = 0.6;

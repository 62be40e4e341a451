import type { HistoryEntry, PCAE } from 'pc-ae';
import { type Engine, widthOf } from 'pc-ae/engine';
import { createEngine } from 'pc-ae/node';
import type { Crew } from '../complete.ts';
import { runOf } from '../work/codes.ts';
import { Bends } from './bends.ts';
import { Deal } from './deal.ts';
import type { TrainJob, TrainJobOptions } from './job.ts';
import { nextStanding } from './round.ts';
import { settled } from './settled.ts';
import { firstStanding, type RoundState, readState, tidy } from './standing.ts';
import { startOf } from './start.ts';
import type { ShardedTable } from './table.ts';

/**
 * Learns a model of a table in rounds. It begins with what one machine learns from a sample (`start.ts`).
 * Each round then brings all codes on and takes a step of W (`round.ts`), as the rounds that `fit` ends with.
 * At last all codes are proven and the model remembers what it does of the data (`settled.ts`).
 *
 * Every step is a task with an answer in the store, those of the coordinator too: a run that is started again
 * goes on.
 */
export async function trainTable(table: ShardedTable, options: TrainJobOptions, crew: Crew): Promise<PCAE> {
  // Relaxed SIMD rounds as each processor likes; the same bits on all machines need the other kind.
  const engine = await createEngine({ threads: 1, relaxed: false });
  try {
    return await learned(table, options, crew, crew.signal ? engine.until(crew.signal) : engine);
  } finally {
    await engine.close();
  }
}

async function learned(table: ShardedTable, options: TrainJobOptions, crew: Crew, engine: Engine) {
  const { H, encoding = 'box', rounds = ROUNDS, seed = 1 } = options;
  const { n, V, shards } = table.manifest;
  const [width, ridge] = [widthOf({ H, bias: true }), RIDGE / n];
  const deal = new Deal(crew, shards.length, runOf({ manifest: table.hash, H, ridge }));
  const job: TrainJob = { table, crew, deal, engine, H, V, n, width, ridge, seed };
  let at = await firstStanding(job, await startOf(job, options));
  const bends = await Bends.open(job);
  const history: HistoryEntry[] = [];
  let state: RoundState | undefined;
  for (let round = 1; round <= rounds; round++) {
    at = await nextStanding(job, round, at, bends);
    state = await readState(job, at.state);
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

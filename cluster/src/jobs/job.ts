import type { Engine } from 'pc-ae/engine';
import type { Crew } from '../complete.ts';
import type { Deal } from './deal.ts';
import type { ShardedTable } from './table.ts';

export interface TrainJobOptions {
  /** Numbers in a code. */
  readonly H: number;
  /** Where codes live. Default 'box'. */
  readonly encoding?: 'box' | 'real';
  /** Rounds over all shards. Default 10. */
  readonly rounds?: number;
  /** Rows that the start is learned from. Default 20,000. */
  readonly sampleRows?: number;
  /** Passes over those. Default: what `fit` takes. */
  readonly sampleEpochs?: number;
  readonly seed?: number;
  /** Hears of each round: its number and the mean loss of all rows there. */
  readonly onRound?: (round: number, loss: number) => void;
}

/** A run of learning: the table, who works on it, and what is the same in all rounds. */
export interface TrainJob {
  readonly table: ShardedTable;
  readonly crew: Crew;
  readonly deal: Deal;
  /** The coordinator's own. */
  readonly engine: Engine;
  readonly H: number;
  readonly V: number;
  readonly n: number;
  readonly width: number;
  readonly ridge: number;
  readonly seed: number;
}

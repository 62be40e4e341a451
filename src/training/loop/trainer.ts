import type { HistoryEntry } from './history.ts';

/**
 * One way to learn, a visit at a time: what a method owes to the loop that runs it (`loop.ts`). The loop owns
 * time, stopping, checkpoints, progress and history. A trainer owns one visit and the state that visits carry
 * on.
 */
export interface Trainer {
  /** Epochs that are over. */
  readonly epoch: number;
  /** The share of the present epoch that is done. */
  readonly share: number;
  /** Step length of the weights where the run is now. */
  rate(schedule: Schedule): number;
  /** What so many epochs cost, in any unit. Absent: all cost the same. */
  work?(epochs: number): number;
  /** Whatever comes before the first visit of an epoch. */
  begin?(): Promise<void>;
  /** The visits of the present epoch that are left: a few rows each, whose number it yields. */
  visits(schedule: Schedule): AsyncIterable<number>;
  /** Mean loss of the rows that were visited in this epoch, each at its code of that moment. */
  visitedLoss(): Promise<number>;
  /** Closes the epoch, be it over or cut short, and says what is to be seen; `last`: there will be no other. */
  endEpoch(schedule: Schedule, last: boolean): Promise<Seen>;
  /** What has to fall for learning to go on, where a least improvement is asked for. Absent: not judged. */
  judge?(entry: HistoryEntry): number | undefined;
  /** Keeps what is best so far. Whether this epoch is; undefined where nothing says so. */
  note?(entry: HistoryEntry): Promise<boolean | undefined>;
  /** Learning is over: the trainer is left at its best. */
  end?(): Promise<void>;
  /**
   * How many seconds it may take to make a model of what was learned: codes are better proven than learned
   * for longer.
   */
  finishSeconds?(): Promise<number>;
  /** All that the next visit depends on. Absent: runs cannot be resumed. */
  snapshot?(): Promise<TrainerState>;
  restore?(state: TrainerState): void | Promise<void>;
}

/** What an epoch showed; the loop adds when it was. */
export type Seen = Omit<HistoryEntry, 'epoch' | 'seconds'>;

/** How far a run has come. */
export interface Schedule {
  /** The share of a run of `epochs` that is done after so many passes over the rows, by which rates fall. */
  share(passes: number): number;
}

/** What fills memory, by name, and the rest as JSON. */
export interface TrainerState {
  readonly arrays: Readonly<Record<string, Float32Array | Float64Array | undefined>>;
  readonly state: unknown;
}

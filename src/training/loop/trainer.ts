import type { HistoryEntry } from './history.ts';

/**
 * One method of learning, as the loop (`loop.ts`) runs it. The loop owns time, stopping, checkpoints,
 * progress and history. A trainer owns a visit, the smallest step, and the state that is carried from visit
 * to visit.
 */
export interface Trainer {
  /** Finished epochs. */
  readonly epoch: number;
  /** The share of the present epoch that is done. */
  readonly share: number;
  /** Step length of the weights at the present point of the run. */
  rate(schedule: Schedule): number;
  /** The cost of the first `epochs` epochs, in any unit. Absent: all cost the same. */
  work?(epochs: number): number;
  /** Called before the first visit of an epoch. */
  begin?(): Promise<void>;
  /** Runs the remaining visits of the present epoch and yields the number of rows of each. */
  visits(schedule: Schedule): AsyncIterable<number>;
  /** Mean loss of the rows visited in this epoch, at their codes of that moment. */
  visitedLoss(): Promise<number>;
  /**
   * Closes the epoch, complete or cut short, and returns its measurements; `last`: no other epoch follows.
   */
  endEpoch(schedule: Schedule, last: boolean): Promise<Seen>;
  /** The criterion that must fall for learning to go on if `minImprovement` is set. Absent: not judged. */
  judge?(entry: HistoryEntry): number | undefined;
  /** Keeps the best weights. Returns whether this epoch is the best; undefined if that was not measured. */
  note?(entry: HistoryEntry): Promise<boolean | undefined>;
  /** Called when learning is over: restores the best weights. */
  end?(): Promise<void>;
  /**
   * An estimate of the seconds that the finish takes, which learning leaves for it: proven codes are worth
   * more than longer learning.
   */
  finishSeconds?(): Promise<number>;
  /** Everything that the next visit depends on. Absent: runs cannot be resumed. */
  snapshot?(): Promise<TrainerState>;
  restore?(state: TrainerState): void | Promise<void>;
}

/** The measurements of an epoch, to which the loop adds its number and time. */
export type Seen = Omit<HistoryEntry, 'epoch' | 'seconds'>;

/** Tells how far a run has come. */
export interface Schedule {
  /** The share of the run that is done after `passes` passes over the rows, by which rates fall. */
  share(passes: number): number;
}

/** The state of a trainer: large arrays by name, everything else as JSON. */
export interface TrainerState {
  readonly arrays: Readonly<Record<string, Float32Array | Float64Array | undefined>>;
  readonly state: unknown;
}

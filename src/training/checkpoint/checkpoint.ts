import type { CourseState } from '../loop/course.ts';
import type { HistoryEntry, Stopped } from '../loop/history.ts';

/**
 * The whole state of learning between two minibatches. Learning resumed from it ends with the same model, bit
 * for bit, as learning that was never interrupted. Each procedure has arrays and progress of its own; the
 * fingerprint tells them apart.
 */
export interface Checkpoint {
  /** What fills memory, by name. */
  readonly arrays: Readonly<Record<string, Float32Array | Float64Array | undefined>>;
  readonly progress: CheckpointProgress;
}

export interface CheckpointProgress extends CourseState {
  readonly epoch: number;
  /** Consecutive epochs that were not the best. */
  readonly misses: number;
  readonly history: readonly HistoryEntry[];
  /** Why learning ended, if it has. */
  readonly stopped?: Stopped;
  /** What the run was started with; a run with other settings cannot continue from here. */
  readonly fingerprint: string;
  /** The trainer's own, as JSON. */
  readonly state: unknown;
}

/** Where checkpoints go. */
export interface CheckpointSink {
  /** Seconds between two checkpoints, looked up anew for each. */
  readonly every: number;
  save(checkpoint: Checkpoint): Promise<void>;
}

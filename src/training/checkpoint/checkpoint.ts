import type { CourseState } from '../loop/course.ts';
import type { HistoryEntry, Stopped } from '../loop/history.ts';

/**
 * The whole state of learning between two minibatches. Learning resumed from it ends with the same model, bit
 * for bit, as learning that was never interrupted. Each method has arrays and state of its own; the
 * fingerprint says which one it is.
 */
export interface Checkpoint {
  /** Large arrays, by name. */
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
  /** Identifies settings and rows; a run with others cannot continue from here. */
  readonly fingerprint: string;
  /** The trainer's own state, as JSON. */
  readonly state: unknown;
}

/** Where checkpoints go. */
export interface CheckpointSink {
  /** Seconds between two checkpoints; read again for each. */
  readonly every: number;
  save(checkpoint: Checkpoint): Promise<void>;
}

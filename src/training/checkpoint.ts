import type { FastTrainer } from './fast.ts';
import type { HistoryEntry } from './history.ts';

/**
 * All that learning carries from one minibatch to the next, in plain arrays: learning resumed from it ends with the
 * same model, bit for bit, as learning that was never interrupted.
 */
export interface Checkpoint {
  readonly W: Float32Array;
  readonly E: Float32Array;
  readonly first: Float32Array;
  readonly second: Float32Array;
  readonly inverseHessian: Float32Array;
  readonly curvature: Float64Array;
  readonly bestW?: Float32Array;
  readonly progress: CheckpointProgress;
}

export interface CheckpointProgress {
  readonly epoch: number;
  readonly batch: number;
  readonly step: number;
  readonly visited: { readonly loss: number; readonly rows: number };
  /** Seconds of learning so far, earlier runs counted in. */
  readonly seconds: number;
  readonly ridge: number;
  readonly best?: { readonly validation: number; readonly misses: number };
  readonly history: readonly HistoryEntry[];
  /** What the run was started with; a run with other settings cannot go on from here. */
  readonly fingerprint: string;
}

/** Where checkpoints go. */
export interface CheckpointSink {
  /** Seconds between two checkpoints. */
  readonly every: number;
  save(checkpoint: Checkpoint): Promise<void>;
}

export function checkFingerprint(found: string, expected: string): void {
  if (found === expected) return;
  throw new Error(
    `resume: the checkpoint belongs to another run.\n  checkpoint: ${found}\n  this run:   ${expected}\n` +
      'Use the same data and options as before, or start afresh without resume.',
  );
}

export function takeCheckpoint(
  trainer: FastTrainer,
  rest: Pick<CheckpointProgress, 'seconds' | 'ridge' | 'best' | 'fingerprint' | 'history'>,
  bestW?: Float32Array,
): Checkpoint {
  const { epoch, batch, step, visited } = trainer;
  return { ...trainer.snapshot(), bestW, progress: { epoch, batch, step, visited: { ...visited }, ...rest } };
}

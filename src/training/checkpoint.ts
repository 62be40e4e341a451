import type { FastTrainer } from './fast.ts';
import type { HistoryEntry } from './history.ts';

/**
 * All that learning carries from one minibatch to the next: learning resumed from it ends with the same model, bit
 * for bit, as learning that was never interrupted. Each procedure has arrays and progress of its own; the fingerprint
 * tells them apart.
 */
export interface Checkpoint {
  /** What fills memory, by name. */
  readonly arrays: Readonly<Record<string, Float32Array | Float64Array | undefined>>;
  readonly progress: CheckpointProgress;
}

export interface CheckpointProgress {
  readonly epoch: number;
  /** Seconds of learning so far, earlier runs counted in. */
  readonly seconds: number;
  readonly history: readonly HistoryEntry[];
  /** What the run was started with; a run with other settings cannot go on from here. */
  readonly fingerprint: string;
}

/** The checkpoint of a fast run. */
export interface FastCheckpoint extends Checkpoint {
  readonly arrays: ReturnType<FastTrainer['snapshot']> & { readonly bestW?: Float32Array };
  readonly progress: CheckpointProgress & {
    readonly batch: number;
    readonly step: number;
    readonly visited: { readonly loss: number; readonly rows: number };
    readonly ridge: number;
    readonly best?: { readonly validation: number; readonly misses: number };
  };
}

/** Where checkpoints go. */
export interface CheckpointSink {
  /** Seconds between two checkpoints. */
  readonly every: number;
  save(checkpoint: Checkpoint): Promise<void>;
}

/** The checkpoint as one of the run with that fingerprint, whose kind the caller knows; others are refused. */
export function checkpointOf<T extends Checkpoint>(found: Checkpoint, fingerprint: string): T {
  const { progress } = found;
  if (progress.fingerprint === fingerprint) return found as T;
  throw new Error(
    `resume: the checkpoint belongs to another run.\n  checkpoint: ${progress.fingerprint}\n` +
      `  this run:   ${fingerprint}\nUse the same data and options as before, or start afresh without resume.`,
  );
}

export function takeCheckpoint(
  trainer: FastTrainer,
  rest: Omit<FastCheckpoint['progress'], 'epoch' | 'batch' | 'step' | 'visited'>,
  bestW?: Float32Array,
): FastCheckpoint {
  const { epoch, batch, step, visited } = trainer;
  return {
    arrays: { ...trainer.snapshot(), bestW },
    progress: { epoch, batch, step, visited: { ...visited }, ...rest },
  };
}

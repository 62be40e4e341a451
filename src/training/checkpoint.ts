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
  readonly arrays: Awaited<ReturnType<FastTrainer['snapshot']>> & { readonly bestW?: Float32Array };
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

/** Whether it has the parts of a checkpoint; whose it is shows when it is used. */
export function isCheckpoint(found: Partial<Checkpoint>): found is Checkpoint {
  return typeof found.arrays === 'object' && typeof found.progress === 'object';
}

/** The checkpoint as one of the run with that fingerprint, whose kind the caller knows; others are refused. */
export function checkpointOf<T extends Checkpoint>(found: Checkpoint, fingerprint: string): T {
  const { progress } = found;
  if (progress.fingerprint === fingerprint) return found as T;
  throw new OtherRunError('resume: the checkpoint', progress.fingerprint, fingerprint);
}

/** A checkpoint does not belong to the run that was to go on from it. */
export class OtherRunError extends Error {
  override readonly name = 'OtherRunError';
  /** In what the two runs differ. */
  readonly differences: string;

  constructor(checkpoint: string, there: string, here: string) {
    const differences = differencesOf(there, here);
    super(
      `${checkpoint} belongs to another run: ${differences}. Use the same data and options as before, or start afresh ` +
        'without it.',
    );
    this.differences = differences;
  }
}

/** The fields in which two descriptions of runs differ, with both values. */
function differencesOf(there: string, here: string): string {
  const [before, now] = [fieldsOf(there), fieldsOf(here)];
  // Two procedures have little in common, and that is all there is to say.
  const names = before.procedure === now.procedure ? Object.keys({ ...before, ...now }) : ['procedure'];
  const text = (value: unknown) => {
    if (value === undefined || value === null) return 'none';
    return typeof value === 'object' ? JSON.stringify(value) : String(value);
  };
  const differs = (name: string) => text(before[name]) !== text(now[name]);
  return names
    .filter((name) => differs(name) && !FOLLOWS[name]?.some(differs))
    .map((name) => `${name} is ${text(before[name])} there, ${text(now[name])} here`)
    .join('; ');
}

/** What follows from others unless it is given: where those differ, it says nothing more. */
const FOLLOWS: Readonly<Record<string, readonly string[]>> = {
  rate: ['H'],
  radius: ['H', 'encoding', 'l1'],
  batch: ['n'],
  epochs: ['n'],
  ridge: ['n'],
};

/** JSON, after the name of a procedure or with it inside; any other text stands for itself. */
function fieldsOf(description: string): Record<string, unknown> {
  const start = description.indexOf('{');
  if (start < 0) return { run: description };
  try {
    const { algorithm = 'fast', ...fields } = JSON.parse(description.slice(start)) as Record<string, unknown>;
    return { procedure: description.slice(0, start).trim() || algorithm, ...fields };
  } catch {
    return { run: description };
  }
}

export async function takeCheckpoint(
  trainer: FastTrainer,
  rest: Omit<FastCheckpoint['progress'], 'epoch' | 'batch' | 'step' | 'visited'>,
  bestW?: Float32Array,
): Promise<FastCheckpoint> {
  const { epoch, batch, step, visited } = trainer;
  return {
    arrays: { ...(await trainer.snapshot()), bestW },
    progress: { epoch, batch, step, visited: { ...visited }, ...rest },
  };
}

import * as z from 'zod/mini';
import type { Floats } from '../../engine/engine.ts';
import type { TrainerState } from '../loop/trainer.ts';
import type { Checkpoint } from './checkpoint.ts';

/**
 * The checkpoint, with all its parts; that of a run with another fingerprint is refused, where one is given. Files prove
 * by their checksum that nothing was damaged, not that it was written by this program.
 */
export function checkpointOf(found: Checkpoint, fingerprint?: string): Checkpoint {
  const progress = checkpointProgress.safeParse(found?.progress);
  if (!progress.success || typeof found.arrays !== 'object' || found.arrays === null)
    throw new RangeError('fit: resume must be a checkpoint, as `checkpoint.save` was given it');
  if (fingerprint === undefined || found.progress.fingerprint === fingerprint) return found;
  const differences = differencesOf(found.progress.fingerprint, fingerprint);
  throw new OtherRunError('resume: the checkpoint', differences);
}

const count = z.int().check(z.nonnegative());
const seconds = z.number().check(z.nonnegative());

/** What every run's progress has; the fingerprint says which trainer knows its state. */
export const checkpointProgress = z.object({
  ...{ epoch: count, misses: count, seconds, begun: seconds, fingerprint: z.string() },
  turned: z.optional(z.object({ share: z.number(), time: z.number() })),
  history: z.array(z.looseObject({ epoch: count, seconds, loss: z.number(), rate: z.number() })),
  stopped: z.optional(z.enum(['converged', 'epochs', 'time', 'validation', 'aborted'])),
  state: z.unknown(),
});

/** What a trainer finds in a checkpoint, as it must be; a checkpoint that has something else is refused. */
export const restored = {
  /** Puts stored numbers back, all of them. */
  floats(to: Floats, { arrays }: Pick<TrainerState, 'arrays'>, name: string): void {
    to.write(restored.array({ arrays }, name, to.length, Float32Array));
  },
  array<T extends Float32Array | Float64Array>(
    { arrays }: Pick<TrainerState, 'arrays'>,
    name: string,
    length: number,
    type: new (length: number) => T,
  ): T {
    const values = arrays[name];
    if (values instanceof type && values.length === length && values.every(Number.isFinite)) return values;
    const there = values === undefined ? 'absent' : `${values.length} numbers`;
    throw new OtherRunError(
      'resume: the checkpoint',
      `${name} is ${there} there, ${length} finite numbers here`,
    );
  },
  state<T>({ state }: TrainerState, schema: z.ZodMiniType<T>): T {
    const found = schema.safeParse(state);
    if (found.success) return found.data;
    throw new OtherRunError('resume: the checkpoint', 'the state of learning has other parts there');
  },
};

/** A checkpoint does not belong to the run that was to go on from it. */
export class OtherRunError extends Error {
  override readonly name = 'OtherRunError';
  /** In what the two runs differ. */
  readonly differences: string;

  constructor(checkpoint: string, differences: string) {
    super(
      `${checkpoint} belongs to another run: ${differences}. Use the same data and options as before, or start afresh ` +
        'without it.',
    );
    this.differences = differences;
  }
}

/** The fields in which two descriptions of runs differ, with both values. */
export function differencesOf(there: string, here: string): string {
  const [before, now] = [fieldsOf(there), fieldsOf(here)];
  // Two procedures have little in common, and that is all there is to say.
  const names = before.procedure === now.procedure ? Object.keys({ ...before, ...now }) : ['procedure'];
  const text = (value: unknown) => {
    if (value === undefined || value === null) return 'none';
    return typeof value === 'object' ? JSON.stringify(value) : String(value);
  };
  const differs = (name: string) => text(before[name]) !== text(now[name]);
  return names
    .filter((name) => differs(name) && !(Object.hasOwn(FOLLOWS, name) && FOLLOWS[name].some(differs)))
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

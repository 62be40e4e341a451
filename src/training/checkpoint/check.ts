import * as z from 'zod/mini';
import type { TrainerState } from '../loop/trainer.ts';
import type { Checkpoint } from './checkpoint.ts';
import { fieldsOf, OtherRunError } from './other-run.ts';

/**
 * Checks that a checkpoint has all its parts: the checksum of its file proves that nothing was damaged, but
 * not that this program wrote it. Only resumed runs load this file.
 */
export function checkpointOf(found: Checkpoint): Checkpoint {
  const progress = checkpointProgress.safeParse(found?.progress);
  if (!progress.success || typeof found.arrays !== 'object' || found.arrays === null)
    throw new RangeError('fit: resume must be a checkpoint, as `checkpoint.save` was given it');
  return found;
}

/** The number of epochs of the run that a checkpoint is of; undefined if time alone ended it. */
export function epochsOf({ progress }: Checkpoint): number | undefined {
  const { epochs } = fieldsOf(progress.fingerprint);
  return typeof epochs === 'number' ? epochs : undefined;
}

/** The state of a trainer in a checkpoint, checked by its schema. */
export function stateOf<T>({ state }: TrainerState, schema: z.ZodMiniType<T>): T {
  const found = schema.safeParse(state);
  if (found.success) return found.data;
  throw new OtherRunError('resume: the checkpoint', 'the state of learning has other parts there');
}

const count = z.int().check(z.nonnegative());
const seconds = z.number().check(z.nonnegative());

/** The progress that every run has. Its `state` belongs to the trainer, which the fingerprint identifies. */
export const checkpointProgress = z.object({
  epoch: count,
  misses: count,
  seconds,
  begun: seconds,
  fingerprint: z.string(),
  turned: z.optional(z.object({ share: z.number(), time: z.number() })),
  history: z.array(z.looseObject({ epoch: count, seconds, loss: z.number(), rate: z.number() })),
  stopped: z.optional(z.enum(['converged', 'epochs', 'time', 'validation', 'aborted'])),
  state: z.unknown(),
});

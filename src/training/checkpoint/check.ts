import * as z from 'zod/mini';
import type { TrainerState } from '../loop/trainer.ts';
import type { Checkpoint } from './checkpoint.ts';
import { OtherRunError } from './other-run.ts';

/**
 * The checkpoint, with all its parts. Files prove by their checksum that nothing was damaged, not that it was
 * written by this program. Loaded by runs that are resumed, and by no other.
 */
export function checkpointOf(found: Checkpoint): Checkpoint {
  const progress = checkpointProgress.safeParse(found?.progress);
  if (!progress.success || typeof found.arrays !== 'object' || found.arrays === null)
    throw new RangeError('fit: resume must be a checkpoint, as `checkpoint.save` was given it');
  return found;
}

/** The state of a trainer in a checkpoint, as its schema wants it. */
export function stateOf<T>({ state }: TrainerState, schema: z.ZodMiniType<T>): T {
  const found = schema.safeParse(state);
  if (found.success) return found.data;
  throw new OtherRunError('resume: the checkpoint', 'the state of learning has other parts there');
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

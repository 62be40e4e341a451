import * as z from 'zod/mini';
import type { TrainerState } from '../loop/trainer.ts';
import { stateOf } from './check.ts';

/** The state of the fast method in a checkpoint, without its arrays. */
export function fastState(from: TrainerState): FastState {
  return stateOf(from, state);
}

const count = z.int().check(z.nonnegative());
const state = z.object({
  epoch: count,
  batch: count,
  step: count,
  ridge: z.number().check(z.nonnegative()),
  visited: z.object({ loss: z.number(), rows: count }),
  best: z.optional(z.object({ validation: z.number(), last: z.boolean() })),
});
export type FastState = z.infer<typeof state>;

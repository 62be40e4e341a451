import { availableParallelism } from 'node:os';

/** The threads that work is shared among by default: one per core, 8 at most. */
export function usualThreads(): number {
  return Math.min(8, availableParallelism());
}

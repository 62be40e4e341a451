/**
 * Work that is done step by step, an async generator that yields its progress and returns its result. It is to be ended
 * whatever happens between two steps: what it holds inside an engine is given back then, and only then.
 */

/** Runs steps to their end. */
export async function runSteps<P, T>(
  steps: AsyncGenerator<P, T>,
  onProgress?: (progress: P) => void,
): Promise<T> {
  const run = mapSteps(steps, (progress) => onProgress?.(progress));
  for (;;) {
    const step = await run.next();
    if (step.done) return step.value;
  }
}

/** The same steps with another account of their progress. */
export async function* mapSteps<P, Q, T>(
  steps: AsyncGenerator<P, T>,
  progressOf: (progress: P) => Q,
): AsyncGenerator<Q, T> {
  try {
    for (;;) {
      const step = await steps.next();
      if (step.done) return step.value;
      yield progressOf(step.value);
    }
  } finally {
    await steps.return(undefined as never);
  }
}

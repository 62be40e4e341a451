/**
 * For long work in one thread: lets other calls, and the word to stop, come in now and then. A timer takes
 * four milliseconds, so it is not set after every piece of work.
 */
export function breather(signal: AbortSignal): () => Promise<void> {
  let last = performance.now();
  return async () => {
    signal.throwIfAborted();
    if (performance.now() - last < OFTEN) return;
    await new Promise((resolve) => setTimeout(resolve));
    signal.throwIfAborted();
    last = performance.now();
  };
}

/** Milliseconds. */
const OFTEN = 40;

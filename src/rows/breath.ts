/**
 * Decides when the event loop should have a turn: without one, long work blocks signals, timers and clicks.
 * One `Breath` serves everything that runs on a thread, one long job or many short ones.
 */
export class Breath {
  #last = performance.now();

  get due(): boolean {
    return performance.now() - this.#last > LONGEST;
  }

  async take(): Promise<void> {
    await tick();
    this.#last = performance.now();
  }

  /** For work that may stop anywhere: gives the event loop a turn if one is due; throws after an abort. */
  async between(signal: AbortSignal | undefined): Promise<void> {
    if (this.due) await this.take();
    signal?.throwIfAborted();
  }
}

/** The same pieces with turns for the event loop between them, because reading memory never waits. */
export async function* breathing<T>(pieces: AsyncIterable<T>, signal?: AbortSignal): AsyncGenerator<T> {
  const breath = new Breath();
  for await (const piece of pieces) {
    await breath.between(signal);
    yield piece;
  }
}

/** Work in small steps, which the caller runs at once (`atOnce`) or in turns with other work (`inTurns`). */
export type Steps<T> = Generator<undefined, T>;

/** Cuts `count` things into ranges of `size`, one per step. */
export function* inPieces(
  count: number,
  size: number,
  work: (start: number, end: number) => void,
): Steps<void> {
  for (let start = 0; start < count; start += size) {
    work(start, Math.min(count, start + size));
    yield;
  }
}

export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

export async function inTurns<T>(steps: Steps<T>, signal?: AbortSignal): Promise<T> {
  const breath = new Breath();
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await breath.between(signal);
  }
}

/** A signal that aborts when either of the two does. */
export function eitherOf(one: AbortSignal | undefined, other: AbortSignal): AbortSignal {
  return one && one !== other ? AbortSignal.any([one, other]) : other;
}

/** What work gives, or the signal's reason once it aborts, whatever the work is still waiting for. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  // After an abort nobody hears of a failure.
  work.catch(() => {});
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop, { once: true });
    const over = () => signal.removeEventListener('abort', stop);
    work.then(
      (value) => {
        over();
        resolve(value);
      },
      (error) => {
        over();
        reject(error);
      },
    );
  });
}

/** The most milliseconds without a turn of the event loop. */
export const LONGEST = 20;

function tick(): Promise<void> {
  const { setImmediate } = globalThis as { setImmediate?: (turn: () => void) => void };
  return new Promise((resolve) => {
    // In Node a channel would load the parser of HTTP, which is WebAssembly: from version 22 on that ends a
    // process that may have little memory.
    if (setImmediate) return setImmediate(resolve);
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(0);
  });
}

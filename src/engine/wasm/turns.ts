/**
 * Operations one after the other, in the order of the calls, whether or not a caller waited for the one
 * before.
 */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();
  #ended = false;

  get ended(): boolean {
    return this.#ended;
  }

  /** Settles like the operation; with the signal's reason where that aborts before its turn has come. */
  take<T>(operation: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    let begun = false;
    const result = this.#last.then(() => {
      signal?.throwIfAborted();
      begun = true;
      return operation();
    });
    this.#last = result.catch(() => {});
    if (!signal) return result;
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        if (!begun) reject(signal.reason);
      };
      signal.addEventListener('abort', onAbort);
      result.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
    });
  }

  /** Settles when all operations so far are over; there should be no more. */
  async end(): Promise<void> {
    this.#ended = true;
    await this.#last;
  }
}

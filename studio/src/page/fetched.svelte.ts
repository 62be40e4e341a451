import { notices } from './notices.svelte.ts';

/**
 * Something that a view asks a worker for and shows when it is there: asked again when what it depends on
 * changes, and stopped when nobody looks any more. To be made while a component is.
 */
export class Fetched<T> {
  value = $state.raw<T | undefined>();
  progress = $state(0);
  busy = $state(false);
  #stop?: AbortController;

  constructor(
    ask: () =>
      | ((options: { signal: AbortSignal; onTell: (share: number) => void }) => Promise<T>)
      | undefined,
  ) {
    $effect(() => {
      const work = ask();
      this.#stop?.abort();
      this.value = undefined;
      if (!work) return;
      const stop = new AbortController();
      this.#stop = stop;
      this.busy = true;
      this.progress = 0;
      const onTell = (share: number) => {
        if (!stop.signal.aborted) this.progress = share;
      };
      work({ signal: stop.signal, onTell }).then(
        (value) => {
          if (stop.signal.aborted) return;
          this.value = value;
          this.busy = false;
        },
        (error: Error) => {
          if (stop.signal.aborted) return;
          this.busy = false;
          notices.say('problem', error.message);
        },
      );
      return () => stop.abort();
    });
  }
}

/** Runs one call at a time; of those asked for meanwhile only the last is run. */
export function latest<A extends unknown[]>(work: (...args: A) => Promise<void>): (...args: A) => void {
  let running = false;
  let next: A | undefined;
  const go = async (...args: A) => {
    running = true;
    try {
      await work(...args);
    } catch (error) {
      if ((error as Error).name !== 'AbortError') notices.say('problem', (error as Error).message);
    }
    running = false;
    if (next) {
      const again = next;
      next = undefined;
      void go(...again);
    }
  };
  return (...args) => {
    if (running) next = args;
    else void go(...args);
  };
}

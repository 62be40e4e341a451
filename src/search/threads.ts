import type { Kernels } from './module.ts';

/** What another thread needs: the kernels, the memory with the codes, and its number, from 1. */
interface ThreadTask {
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
  readonly thread: number;
}

/** Another thread that takes units of the same job. */
interface Thread {
  /** Settles when no unit is left for it; fails when the thread has died. */
  run(job: number): Promise<void>;
  close(): Promise<void>;
}

export type StartThread = (task: ThreadTask) => Thread;

/** The calling thread and the others, which are started when there is something for them to do. */
export class Threads {
  readonly count: number;
  readonly #kernels: Kernels;
  readonly #start: (thread: number) => Thread;
  readonly #others: Thread[] = [];

  /** `start` starts the thread of a number, 1 to count - 1. */
  constructor(kernels: Kernels, count: number, start: (thread: number) => Thread) {
    this.#kernels = kernels;
    this.count = count;
    this.#start = start;
  }

  /** Runs a job to its end, on the calling thread `alone` or on all. If one has died, the others end. */
  async run(job: number, alone: boolean): Promise<void> {
    while (!alone && this.#others.length < this.count - 1) {
      this.#others.push(this.#start(this.#others.length + 1));
    }
    const others = alone ? [] : this.#others.map((thread) => thread.run(job));
    this.#kernels.work(job, 0);
    // Memory of the job is given back afterwards: nobody may be at work on it then.
    const ends = await Promise.allSettled(others);
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }

  async close(): Promise<void> {
    await Promise.all(this.#others.splice(0).map((thread) => thread.close()));
  }
}

import { Breath, LONGEST } from '../../rows/breath.ts';
import { type JobParts, jobBytes, setFields, writeJob } from './job.ts';
import { jobLayout } from './layout.generated.ts';
import type { Memory } from './memory.ts';
import type { Kernels } from './module.ts';
import { type Spawn, type WorkerHandle, words } from './worker.ts';

/** Jobs of fewer multiply-adds than this run on one thread: waking the others would take longer. */
const SMALL = 2e6;
/** More units than any job has. */
const NONE_LEFT = 2 ** 30;

/**
 * Runs jobs on the calling thread and on the workers, all on one shared memory. Units of a job are taken from
 * a counter, so it does not matter how many threads there are or how fast they wake up.
 */
export class Pool {
  readonly threads: number;
  readonly #kernels: Kernels;
  readonly #memory: Memory;
  readonly #job: number;
  readonly #control: number;
  readonly #workers: WorkerHandle[] = [];
  #scratch = 0;
  #scratchSize = 0;
  #failure: Error | undefined;
  /** Why the present job was not worked to its end. */
  #cut: { readonly reason: unknown } | undefined;
  #ready: Promise<unknown> | undefined;
  readonly breath = new Breath();
  /** Whose abort ends the jobs of the present operation. */
  signal?: AbortSignal;

  constructor(kernels: Kernels, module: WebAssembly.Module, memory: Memory, threads: number, spawn?: Spawn) {
    this.#kernels = kernels;
    this.#memory = memory;
    this.threads = spawn ? threads : 1;
    this.#job = memory.allocate(jobBytes, 'the description of a job');
    this.#control = memory.allocate(4 * words.count, 'the control words of threads');
    memory.integers(this.#control, words.count).fill(0);
    const ready: Promise<void>[] = [];
    for (let thread = 1; spawn && thread < threads; thread++) {
      const worker = spawn({ module, memory: memory.memory, control: this.#control, thread });
      worker.failed.then((error) => {
        this.#failure ??= error;
      });
      this.#workers.push(worker);
      ready.push(worker.ready);
    }
    this.#ready = ready.length > 0 ? Promise.all(ready) : undefined;
  }

  /** Whether a thread has died, or all of them were ended. */
  get failed(): boolean {
    return this.#failure !== undefined;
  }

  /** Runs a job of so many units to its end. `cost`: about how many multiply-adds it takes. */
  async run(parts: JobParts, cost: number, units: number): Promise<void> {
    if (this.#failure) throw this.#failure;
    const alone = this.#workers.length === 0 || cost < SMALL || units < 2;
    if (!alone && this.#ready) {
      await Promise.race([this.#ready, ...this.#workers.map((worker) => worker.failed)]);
      this.#ready = undefined;
      if (this.#failure) throw this.#failure;
    }
    this.#cut = undefined;
    writeJob(this.#memory, this.#job, parts);
    setFields(this.#memory, this.#job, [{ units }]);
    this.#provideScratch(alone ? 1 : this.threads);
    if (!alone) this.#wake();
    do {
      if (this.breath.due) await this.#breathe();
    } while (this.#kernels.work(this.#job, 0, 1));
    if (!alone) await this.#join();
    this.#throwIfCut();
  }

  #throwIfCut(): void {
    if (this.#cut) throw this.#cut.reason;
  }

  async close(): Promise<void> {
    this.#failure ??= new Error('engine: it is already closed');
    const control = this.#words();
    Atomics.store(control, words.stop, 1);
    Atomics.add(control, words.sequence, 1);
    Atomics.notify(control, words.sequence);
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }

  #provideScratch(threads: number): void {
    const scratchSize = Math.ceil((this.#kernels.scratchBytes(this.#job) >>> 0) / 4096) * 4096;
    if (scratchSize * threads > this.#scratchSize) {
      if (this.#scratch) this.#memory.free(this.#scratch);
      this.#scratch = 0;
      this.#scratchSize = 0;
      this.#scratch = this.#memory.allocate(scratchSize * threads, 'the working memory of threads');
      this.#scratchSize = scratchSize * threads;
    }
    setFields(this.#memory, this.#job, [{ scratch: this.#scratch, scratchSize }]);
  }

  /** A turn of the event loop. If the signal aborts in it, nobody takes another unit of the job. */
  async #breathe(): Promise<void> {
    await this.breath.take();
    if (!this.signal?.aborted) return;
    this.#cut = { reason: this.signal.reason };
    Atomics.store(this.#memory.integers(this.#job + jobLayout.next[0], 1), 0, NONE_LEFT);
  }

  #words(): Int32Array {
    return this.#memory.integers(this.#control, words.count);
  }

  #wake(): void {
    const control = this.#words();
    Atomics.store(control, words.running, this.#workers.length);
    Atomics.store(control, words.job, this.#job);
    Atomics.add(control, words.sequence, 1);
    Atomics.notify(control, words.sequence);
  }

  /** Waits until every worker is through with the job, or one of them has died. */
  async #join(): Promise<void> {
    const control = this.#words();
    for (;;) {
      const running = Atomics.load(control, words.running);
      if (running === 0) return;
      if (!waitBriefly(control, words.running, running)) await this.#breathe();
      if (this.#failure) throw this.#failure;
    }
  }
}

/** Blocks for a moment while the word has the value. False when the event loop should have a turn instead. */
function waitBriefly(control: Int32Array, word: number, value: number): boolean {
  try {
    return Atomics.wait(control, word, value, LONGEST) !== 'timed-out';
  } catch {
    return false; // a browser's main thread must not block
  }
}

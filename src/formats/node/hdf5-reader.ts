import { resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import { badFile } from '../../rows/errors.ts';
import type { H5Reading } from '../h5/file.ts';
import { h5wasmAddress } from './h5wasm.ts';
import { type Answer, type Question, type ReaderTask, readerProgram } from './hdf5-program.ts';

/**
 * Seconds after which a reader that has reached no new place of the file is ended. Between two places a
 * healthy file has at most one piece of the array to unpack: of 1 MiB as most programs write them, which
 * takes 10 ms, and of 2 GiB at most, as much as the library's memory, which takes less than 10 s.
 */
export const patience = { seconds: 10 };

/** A reader that nobody uses is kept this long for the next file: starting one takes a tenth of a second. */
const KEPT = 2000;

/** MiB of names, such as five million of 200 letters. The library's own memory has another limit. */
const WORDS = 1024;

/** How often a reader is looked at. */
const LOOK = 250;

/** The HDF5 library in a thread of its own: damaged files make it loop for ever or take all memory. */
export class Reader {
  readonly #path: string;
  readonly #signal: AbortSignal | undefined;
  readonly #thread: Thread;
  #closed = false;

  private constructor(path: string, thread: Thread, signal: AbortSignal | undefined) {
    this.#path = path;
    this.#thread = thread;
    this.#signal = signal;
  }

  static async open(path: string, { memory, signal }: H5Reading): Promise<Reader> {
    signal?.throwIfAborted();
    const reader = new Reader(path, await threadFor(path), signal);
    try {
      await reader.ask({ ask: 'open', path: resolve(path), memory });
      return reader;
    } catch (error) {
      await reader.close();
      throw error;
    }
  }

  async ask<T>(question: Question): Promise<T> {
    try {
      this.#signal?.throwIfAborted();
      return (await this.#thread.ask(question, this.#signal)) as T;
    } catch (error) {
      if (!(error instanceof Refusal)) this.#thread.end();
      this.#signal?.throwIfAborted();
      throw badFile(this.#path, (error as Error).message, error);
    }
  }

  /** Lets the file go. A thread that is as good as new waits for the next one. */
  async close(): Promise<void> {
    if (this.#closed || this.#thread.ended) return;
    this.#closed = true;
    try {
      await this.#thread.ask({ ask: 'close' });
      keep(this.#thread);
    } catch {
      this.#thread.end();
    }
  }
}

/** The library says that it cannot read something, and can be asked something else. */
class Refusal extends Error {
  override readonly name = 'Refusal';
}

/** A thread with the library, one question at a time. */
class Thread {
  readonly ready: Promise<void>;
  readonly #worker: Worker;
  readonly #beats: Int32Array;
  ended = false;
  /** Where the answer goes to, while one is awaited. */
  #answered: ((answer: Answer) => void) | undefined;

  constructor(library: string) {
    const beats = new SharedArrayBuffer(4);
    this.#beats = new Int32Array(beats);
    const task: ReaderTask = { library, beats };
    this.#worker = new Worker(readerProgram, {
      eval: true,
      workerData: task,
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: WORDS },
    });
    this.ready = new Promise((started, reject) => {
      this.#worker.once('error', reject);
      this.#worker.once('exit', () => reject(new Error('the thread ended')));
      this.#worker.on('message', (message: 'ready' | Answer) => {
        if (message === 'ready') started();
        else this.#answered?.(message);
      });
    });
    this.#worker.on('error', ({ message }) => this.#fail(message));
    this.#worker.on('exit', () => this.#fail('the thread ended'));
  }

  ask(question: Question, signal?: AbortSignal): Promise<unknown> {
    let look: NodeJS.Timeout | undefined;
    let stop: (() => void) | undefined;
    this.#worker.ref();
    return new Promise<unknown>((found, reject) => {
      if (this.ended) throw new Error(DAMAGED);
      this.#answered = (answer) => {
        if ('value' in answer) found(answer.value);
        else {
          const { error: cause, full, broken } = answer;
          reject(new (broken ? Error : Refusal)(full ? FULL : DAMAGED, { cause }));
        }
      };
      stop = () => reject(signal?.reason);
      signal?.addEventListener('abort', stop, { once: true });
      // Looks are counted, not seconds: a machine that slept, or had no time for either thread, proves
      // nothing.
      let looks = 0;
      let before = -1;
      look = setInterval(() => {
        const now = Atomics.load(this.#beats, 0);
        looks = now === before ? looks + 1 : 0;
        before = now;
        if (looks * LOOK >= 1000 * patience.seconds) reject(new Error(LOST));
      }, LOOK);
      this.#worker.postMessage(question);
    }).finally(() => {
      clearInterval(look);
      if (stop) signal?.removeEventListener('abort', stop);
      this.#answered = undefined;
      this.#worker.unref();
    });
  }

  end(): void {
    this.ended = true;
    void this.#worker.terminate();
  }

  #fail(message: string): void {
    this.ended = true;
    this.#answered?.({ error: message, full: /memory/.test(message), broken: true });
  }
}

const DAMAGED = 'is damaged: the HDF5 library cannot read it';
const LOST = 'is damaged: the HDF5 library goes round in circles and was stopped';
const FULL =
  'is damaged, or its arrays are in too large pieces: the HDF5 library wants more memory than it may have';

let kept: Thread | undefined;
let forgetting: NodeJS.Timeout | undefined;

function keep(thread: Thread): void {
  clearTimeout(forgetting);
  kept?.end();
  kept = thread;
  forgetting = setTimeout(() => {
    kept?.end();
    kept = undefined;
  }, KEPT).unref();
}

/** The thread that was kept, or a new one. */
async function threadFor(path: string): Promise<Thread> {
  if (kept) {
    const thread = kept;
    kept = undefined;
    return thread;
  }
  try {
    const thread = new Thread(h5wasmAddress());
    await thread.ready;
    return thread;
  } catch (error) {
    throw badFile(path, 'HDF5 files are read by h5wasm: npm install h5wasm', error);
  }
}

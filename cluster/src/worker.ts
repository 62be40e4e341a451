import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from 'pc-ae/engine';
import { withoutSecrets } from './addresses.ts';
import type { Board, Held } from './board/board.ts';
import { ConflictError, type Store } from './store/store.ts';
import { describe, PROGRAM, type Task } from './task.ts';
import { Bench } from './work/bench.ts';
import { perform } from './work/perform.ts';

interface WorkerOptions {
  /** What the worker is called, in answers and logs. */
  readonly name: string;
  readonly signal?: AbortSignal;
  /** Hears of each task: a line for people. */
  readonly log?: (line: string) => void;
  /** Ends when there has been nothing to do for so many seconds. Default: never. */
  readonly idleSeconds?: number;
}

/** A worker's name is part of names of files and of queues. */
export function checkName(name: string): void {
  if (/^[a-z\d][\w.-]{0,99}$/i.test(name)) return;
  throw new RangeError(
    `a worker cannot be called ${JSON.stringify(name)}: its name must have 1 to 100 letters from a to z, digits or any of . _ -, and begin with a letter or a digit`,
  );
}

/**
 * Takes tasks from a board, does them and answers, until it is told to stop. It runs nothing but the program
 * that it is: a task names what is to be done and blobs by their hashes, and everything comes from the store.
 */
export async function work(
  board: Board,
  store: Store,
  engine: Engine,
  options: WorkerOptions,
): Promise<{ readonly done: number }> {
  checkName(options.name);
  const { name, signal, log = () => undefined, idleSeconds = Number.POSITIVE_INFINITY } = options;
  const bench = new Bench(signal ? engine.until(signal) : engine, store);
  let done = 0;
  let [doing, began, told] = ['waiting', performance.now(), 0];
  const tell = () => {
    const { in: bytesIn, out: bytesOut } = store.moved;
    told = performance.now();
    const since = (told - began) / 1000;
    const warm = bench.codes.shards();
    const notice = { name, role: 'worker', program: PROGRAM, doing, since, done, bytesIn, bytesOut } as const;
    return board.tell({ ...notice, warm }).catch(() => undefined);
  };
  const begin = async (what: string) => {
    [doing, began] = [what, performance.now()];
    // Short tasks come and go unheard.
    if (began - told > TELL_MS / 5) await tell();
  };
  const telling = setInterval(tell, Math.min(TELL_MS, 300 * board.lease));
  try {
    await tell();
    let idleSince = performance.now();
    for (let pause = 0; !signal?.aborted; ) {
      const held = await board.take(name, (task) => atHand(task, store));
      if (!held) {
        if (performance.now() - idleSince > 1000 * idleSeconds) break;
        pause = Math.min(SLOWEST_MS, 1.5 * pause + 2);
        await sleep(pause, undefined, { signal }).catch(() => undefined);
        continue;
      }
      await begin(describe(held.task));
      const answered = await answer(held, bench, name, signal);
      if (answered === undefined) done++;
      log(`${doing}: ${answered ?? `done in ${((performance.now() - began) / 1000).toFixed(2)} s`}`);
      await begin('waiting');
      // Who cannot do a task leaves it to others for a while.
      pause = 0;
      if (answered !== undefined) await sleep(AFTER_FAILURE_MS, undefined, { signal }).catch(() => undefined);
      idleSince = performance.now();
    }
  } finally {
    clearInterval(telling);
    [doing, began] = ['gone', performance.now()];
    await tell();
  }
  return { done };
}

/** Does a task and answers. Gives what went wrong, where something did that others may do better. */
async function answer(
  held: Held,
  bench: Bench,
  worker: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const { id, task } = held;
  const { store } = bench;
  if (task.program !== PROGRAM) {
    await held.release();
    throw new Error(
      `this worker runs ${PROGRAM}, but the run needs ${task.program}: install that version here, or start the run again with this one`,
    );
  }
  try {
    if (!(await store.answer(id))) {
      const began = performance.now();
      const outputs = await perform(task, bench);
      await store.offer({ task: id, outputs, worker, seconds: (performance.now() - began) / 1000 });
    }
    await held.done();
    return undefined;
  } catch (error) {
    if (signal?.aborted) {
      await held.release();
      return 'given back';
    }
    const why = withoutSecrets(error instanceof Error ? error.message : String(error));
    // What a task reads may be gone because somebody else has done it meanwhile.
    if (!(error instanceof ConflictError) && (await store.answer(id).catch(() => undefined))) {
      await held.done();
      return undefined;
    }
    await held.failed(why);
    if (error instanceof ConflictError) throw error;
    return `failed: ${why}`;
  }
}

/** How much of a task's blobs this worker has at hand: codes and rows stay where they are. */
function atHand({ inputs }: Task, store: Store): number {
  return Object.values(inputs).filter((hash) => store.holds(hash)).length;
}

const TELL_MS = 5000;
const SLOWEST_MS = 200;
const AFTER_FAILURE_MS = 500;

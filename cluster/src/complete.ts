import { setTimeout as sleep } from 'node:timers/promises';
import type { Board, Posted } from './board/board.ts';
import type { Store } from './store/store.ts';
import { type Answer, type Task, taskId } from './task.ts';
import { describe } from './worker.ts';

export interface Crew {
  readonly board: Board;
  readonly store: Store;
  readonly signal?: AbortSignal;
  /** Hears of every answer: how many of how many tasks have one. */
  readonly onAnswer?: (done: number, of: number, answer: Answer) => void;
}

/**
 * Has tasks done by whoever is there, and gives their answers in the order of the tasks. Tasks that were answered before, in
 * this run or in one that was killed, are not done again: starting a run anew is how it goes on.
 */
export async function complete(tasks: readonly Task[], crew: Crew): Promise<Answer[]> {
  const { board, store, signal, onAnswer } = crew;
  const posted = tasks.map((task) => ({ id: taskId(task), task }));
  const answers = new Map<string, Answer>();
  const failures = new Map<string, number>();
  const open = new Map<string, Posted>(posted.map((one) => [one.id, one]));
  const look = async (id: string) => {
    const answer = open.has(id) ? await store.answer(id) : undefined;
    if (!answer) return;
    answers.set(id, answer);
    open.delete(id);
    onAnswer?.(answers.size, tasks.length, answer);
  };
  for (const { id } of posted) await look(id);
  if (open.size > 0) {
    try {
      await board.post([...open.values()]);
      let swept = performance.now();
      for (let pause = 1; open.size > 0; ) {
        signal?.throwIfAborted();
        const news = await board.news();
        for (const item of news) {
          if (item.kind === 'done') await look(item.id);
          else if (open.has(item.id)) {
            const count = (failures.get(item.id) ?? 0) + 1;
            failures.set(item.id, count);
            const { task } = open.get(item.id)!;
            await store.checkConflicts(new Set([item.id]));
            if (count >= ATTEMPTS)
              throw new Error(
                `${describe(task)} failed ${count} times, the last time at ${item.worker}: ${item.why}`,
              );
          }
        }
        if (open.size > 0 && performance.now() - swept > SWEEP_MS) {
          // A board may have lost anything, word of answers and tasks alike.
          for (const id of [...open.keys()]) await look(id);
          await board.post([...open.values()]);
          swept = performance.now();
        }
        pause = news.length > 0 ? 1 : Math.min(SLOWEST_MS, 1.5 * pause);
        if (open.size > 0) await sleep(pause, undefined, { signal });
      }
    } finally {
      await board.withdraw(posted.map(({ id }) => id)).catch(() => undefined);
    }
  }
  await store.checkConflicts(new Set(posted.map(({ id }) => id)));
  return posted.map(({ id }) => answers.get(id)!);
}

/** A task that so many have tried in vain stops the run. */
const ATTEMPTS = 3;
const SWEEP_MS = 5000;
const SLOWEST_MS = 100;

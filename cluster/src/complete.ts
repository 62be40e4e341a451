import { setTimeout as sleep } from 'node:timers/promises';
import type { Board, Heard, Posted } from './board/board.ts';
import type { Store } from './store/store.ts';
import { type Answer, describe, PROGRAM, type Task, taskId } from './task.ts';

export interface Crew {
  readonly board: Board;
  readonly store: Store;
  readonly signal?: AbortSignal;
  /** Hears of every answer: how many of how many tasks have one. */
  readonly onAnswer?: (done: number, of: number, answer: Answer) => void;
}

/**
 * Has tasks done by whoever is there, and gives their answers in the order of the tasks. Tasks that were
 * answered before, in this run or in one that was killed, are not done again: starting a run anew is how it
 * goes on. A task goes to its owner, where it has one, for as long as that one lives, and then to anybody.
 */
export async function complete(
  tasks: readonly Task[],
  crew: Crew,
  owners: readonly (string | undefined)[] = [],
): Promise<Answer[]> {
  const { board, store, signal, onAnswer } = crew;
  const posted: Posted[] = tasks.map((task, k) => ({ id: taskId(task), task, owner: owners[k] }));
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
      let [swept, called] = [performance.now(), performance.now()];
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
        if (open.size > 0 && performance.now() - called > Math.min(SWEEP_MS, 500 * board.lease)) {
          const alive = new Set((await working(board)).map(({ name }) => name));
          const orphans = [...open.values()].filter(({ owner }) => owner !== undefined && !alive.has(owner));
          if (orphans.length > 0) await board.free(orphans);
          for (const { id, task } of orphans) open.set(id, { id, task });
          called = performance.now();
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

/** The workers of this program that were heard of within the lease. */
export async function working(board: Board): Promise<Heard[]> {
  return (await board.notices()).filter(
    ({ role, doing, program, ago }) =>
      role === 'worker' && doing !== 'gone' && program === PROGRAM && ago < board.lease,
  );
}

/** A task that so many have tried in vain stops the run. */
const ATTEMPTS = 3;
const SWEEP_MS = 5000;
const SLOWEST_MS = 100;

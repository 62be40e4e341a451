import { hostname } from 'node:os';
import type { Board, Notice } from '../board/board.ts';
import type { Io } from '../io.ts';
import type { Store } from '../store/store.ts';
import { type Answer, PROGRAM } from '../task.ts';

/** A line at most every two seconds, and the last of a phase; `status` shows the same. */
export function progress(io: Io, what: string, board: Board, store: Store) {
  const name = `${what}-${hostname()}-${process.pid}`;
  let [told, total, began] = [0, 0, performance.now()];
  let telling: Promise<unknown> = Promise.resolve();
  const times: number[] = [];
  const tell = (doing: string) => {
    const { in: bytesIn, out: bytesOut } = store.moved;
    const since = (performance.now() - began) / 1000;
    const notice = { name, role: 'coordinator', program: PROGRAM, doing, since, done: total } as const;
    return board.tell({ ...notice, bytesIn, bytesOut });
  };
  const say = async (doing: string, { worker }: Answer) => {
    const workers = (await board.notices()).filter((one) => one.role === 'worker' && one.doing !== 'gone');
    const { in: bytesIn, out: bytesOut } = store.moved;
    const moved = `${megabytes(bytesIn)} in, ${megabytes(bytesOut)} out`;
    const late = stragglers(workers, times).map(
      (one) => `${one.name} has been at ${one.doing} for ${Math.round(one.since)} s`,
    );
    io.err(`${[`${doing} (last from ${worker})`, `${workers.length} workers`, moved, ...late].join('; ')}\n`);
    await tell(doing);
  };
  const onAnswer = (done: number, of: number, answer: Answer) => {
    total++;
    times.push(answer.seconds);
    times.splice(0, times.length - REMEMBERED);
    if (done === 1) began = performance.now();
    if (performance.now() - told < PAUSE_MS && done < of) return;
    told = performance.now();
    const doing = `${what}, ${done} of ${of} tasks`;
    telling = telling.then(() => say(doing, answer)).catch(() => undefined);
  };
  const end = async () => {
    await telling;
    await tell('gone').catch(() => undefined);
  };
  return { onAnswer, end };
}

/** Workers that are at a task for much longer than tasks took of late. */
function stragglers(workers: readonly Notice[], times: readonly number[]): Notice[] {
  if (times.length === 0) return [];
  const usual = [...times].sort((a, b) => a - b)[times.length >> 1];
  return workers.filter(
    ({ doing, since }) => doing !== 'waiting' && since > Math.max(LATE_SECONDS, LATE * usual),
  );
}

export function megabytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}

const PAUSE_MS = 2000;
const REMEMBERED = 100;
/** How many times as long as usual a task takes that is mentioned, and how long at least. */
const LATE = 3;
const LATE_SECONDS = 5;

import type { HistoryEntry, Stopped } from './history.ts';
import type { Progress } from './progress.ts';
import type { Run } from './run.ts';
import type { Trainer } from './trainer.ts';

/** How a run of learning ended; the trainer holds what was learned. */
interface Learned {
  readonly history: readonly HistoryEntry[];
  readonly stopped: Stopped;
}

interface Ending {
  /** Stop when an epoch lowers the trainer's criterion (`judge`) by less than this share of it; 0: never. */
  readonly minImprovement: number;
  /** Stop after this many judged epochs in a row that were not the best so far. */
  readonly patience: number;
}

/**
 * The one loop of learning. It runs a trainer until its epochs or its time are over, an epoch improves too
 * little, patience runs out or the caller aborts, and keeps time, history and checkpoints on the way.
 *
 * An abort rejects with the signal's reason, after a last checkpoint if there is a sink for it. If a partial
 * result was asked for, an abort ends the run like anything else.
 */
export async function learn(trainer: Trainer, run: Run, ending: Ending): Promise<Learned> {
  const { course, pace, signal, checkpoint, resumed } = run;
  const history: HistoryEntry[] = [...(resumed?.progress.history ?? [])];
  let misses = resumed?.progress.misses ?? 0;
  if (resumed) await trainer.restore?.({ arrays: resumed.arrays, state: resumed.progress.state });
  course.begin();
  const room = new Room(trainer, run);
  const over = () => trainer.epoch >= course.epochs;
  let stopped: Stopped | undefined = resumed?.progress.stopped ?? (over() ? 'epochs' : undefined);
  let rows = 0;
  let saved = course.seconds;
  /** Whether the trainer is between two visits, where a run can be resumed. */
  let standing = true;
  const save = async () => {
    const taken = await trainer.snapshot?.();
    if (!taken) return;
    const { epoch } = trainer;
    const progress = { epoch, ...course.state, misses, history: [...history], stopped };
    const { fingerprint } = run;
    await checkpoint?.save({
      arrays: taken.arrays,
      progress: { ...progress, fingerprint, state: taken.state },
    });
    saved = course.seconds;
  };
  const look = async (): Promise<Progress> => ({
    phase: 'learn',
    fraction: fractionOf(trainer, run),
    epoch: trainer.epoch,
    loss: await trainer.visitedLoss(),
    validation: latest(history, 'validation'),
    meanGap: latest(history, 'meanGap'),
    rate: trainer.rate(course),
    rowsPerSecond: rows / Math.max(1e-3, course.stretch),
    seconds: course.seconds,
  });
  try {
    while (!stopped) {
      standing = false;
      await trainer.begin?.();
      standing = true;
      for await (const visited of trainer.visits(course)) {
        rows += visited;
        if (pace.due('learn')) pace.report(await look());
        signal?.throwIfAborted();
        if (course.over && (await room.isUsedUp())) {
          stopped = 'time';
          break;
        }
        if (checkpoint && course.seconds - saved >= checkpoint.every) await save();
        await room.leave();
      }
      const began = course.seconds;
      const last = stopped !== undefined || trainer.epoch + 1 >= course.epochs;
      const entry = { ...(await trainer.endEpoch(course, last)), seconds: course.seconds };
      history.push({ epoch: trainer.epoch, ...entry });
      room.ended(course.seconds - began);
      const [before, now] = history.slice(-2).map((one) => trainer.judge?.(one));
      const better = await trainer.note?.(history[history.length - 1]);
      if (better !== undefined) misses = better ? 0 : misses + 1;
      if (better !== undefined && misses >= ending.patience) stopped ??= 'validation';
      if (before !== undefined && now !== undefined && fellLittle(before, now, ending))
        stopped ??= 'converged';
      if (over()) stopped ??= course.byTime ? 'time' : 'epochs';
    }
    // A run that is interrupted during its finish resumes from here.
    if (checkpoint && resumed?.progress.stopped === undefined) await save();
  } catch (error) {
    if (!signal?.aborted || error !== signal.reason) throw error;
    if (standing && checkpoint) await save();
    if (!run.partial) throw error;
    stopped = 'aborted';
  }
  await trainer.end?.();
  return { history, stopped: stopped ?? 'aborted' };
}

function fellLittle(before: number, now: number, { minImprovement }: Ending): boolean {
  return minImprovement > 0 && before - now < minImprovement * Math.abs(now);
}

/** The share of the run that is done, by its epochs or its time, whichever is larger. */
function fractionOf(trainer: Trainer, { course }: Run): number {
  const work = (epochs: number) => trainer.work?.(epochs) ?? epochs;
  const passes = Number.isFinite(course.epochs)
    ? work(trainer.epoch + trainer.share) / work(course.epochs)
    : 0;
  return Math.min(1, Math.max(passes, course.time));
}

function latest(history: readonly HistoryEntry[], name: 'validation' | 'meanGap'): number | undefined {
  return history.findLast((entry) => entry[name] !== undefined)?.[name];
}

/**
 * The time that a budget must leave for the end of the last epoch and for the finish, estimated now and then.
 */
class Room {
  readonly #trainer: Trainer;
  readonly #run: Run;
  #next = 0;
  #finish = 0;
  #end = 0;

  constructor(trainer: Trainer, run: Run) {
    this.#trainer = trainer;
    this.#run = run;
  }

  /** Estimates the finish again when its time has come. */
  async leave(): Promise<void> {
    const { course } = this.#run;
    if (course.budget === Number.POSITIVE_INFINITY || !(course.time >= LOOKS[this.#next])) return;
    this.#next++;
    await this.#estimate();
  }

  /** Whether learning has to end now, by a new estimate: the last one was of other weights. */
  async isUsedUp(): Promise<boolean> {
    const { course } = this.#run;
    if (course.seconds < course.budget && this.#finish > 0) await this.#estimate();
    return course.over;
  }

  /** Notes how long the end of an epoch took. */
  ended(seconds: number): void {
    this.#end = Math.max(this.#end, seconds);
    if (this.#next > 0) this.#reserve();
  }

  async #estimate(): Promise<void> {
    this.#finish = (await this.#trainer.finishSeconds?.()) ?? 0;
    this.#reserve();
  }

  #reserve(): void {
    const { course } = this.#run;
    course.leave(this.#finish + this.#end + course.early);
  }
}

/** The shares of the time for learning at which the finish is estimated. */
const LOOKS = [0.1, 0.6, 0.9];

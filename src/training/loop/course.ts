import type { Schedule } from './trainer.ts';

/**
 * The time of a run, over all the stretches that it was learned in, and by what its rates fall.
 *
 * Where passes are limited, they alone decide how far a run has come: it learns the same on a slow machine as
 * on a fast one, whatever its time budget, as long as it ends by its passes. Only a run that is clearly going
 * to be cut short by its budget goes by the clock from then on, so that its rates have fallen when it ends;
 * and it ends by time then, whatever comes first.
 */
export class Course implements Schedule {
  readonly epochs: number;
  readonly budget: number;
  readonly #before: number;
  readonly #start: number;
  readonly #now: () => number;
  #begun: number;
  #turned: Turn | undefined;
  #left = 0;

  /** `budget`: seconds for all of the run, its start and its finish counted in. */
  constructor({ epochs, budget }: Limits, from: CourseState = FRESH, now: () => number = milliseconds) {
    this.epochs = epochs;
    this.budget = budget;
    this.#before = from.seconds;
    this.#begun = from.begun;
    this.#turned = from.turned;
    this.#now = now;
    this.#start = now();
  }

  /** Of all stretches together. */
  get seconds(): number {
    return this.#before + (this.#now() - this.#start) / 1000;
  }

  /** Of this stretch. */
  get stretch(): number {
    return this.seconds - this.#before;
  }

  get state(): CourseState {
    return { seconds: this.seconds, begun: this.#begun, turned: this.#turned };
  }

  /** Passes over the rows begin: time before this is no part of their share. */
  begin(): void {
    if (this.#before === 0) this.#begun = this.seconds;
  }

  /** Seconds that learning must leave for what comes after it. */
  leave(seconds: number): void {
    this.#left = seconds;
  }

  /** The second by which learning has to end. */
  get deadline(): number {
    return this.budget - this.#left;
  }

  /** How many seconds before its budget a run aims to end: what was not foreseen makes it later, never earlier. */
  get early(): number {
    return AIMED * this.#slack;
  }

  /** How many seconds after its budget a run may end rather than leave codes unproven. */
  get late(): number {
    return LATEST * this.#slack;
  }

  /** Seconds by which a run may miss its budget. */
  get #slack(): number {
    const budget = this.budget - this.#before;
    return budget === Number.POSITIVE_INFINITY
      ? 0
      : Math.min(Math.max(SLACK, SLACK_SHARE * budget), MOST_SLACK * budget);
  }

  get over(): boolean {
    return this.seconds >= this.deadline;
  }

  /** The share of the time for learning that has passed. */
  get time(): number {
    if (this.budget === Number.POSITIVE_INFINITY) return 0;
    return Math.min(1, (this.seconds - this.#begun) / Math.max(1e-9, this.deadline - this.#begun));
  }

  /** Whether the clock has had a say in what is learned. */
  get byTime(): boolean {
    return this.epochs === Number.POSITIVE_INFINITY || this.#turned !== undefined;
  }

  share(passes: number): number {
    const { time } = this;
    if (this.epochs === Number.POSITIVE_INFINITY) return time;
    const done = Math.min(1, passes / this.epochs);
    if (time >= DECIDED && done < BEHIND * time) this.#turned ??= { share: done, time };
    if (!this.#turned) return done;
    const { share, time: since } = this.#turned;
    return share + ((1 - share) * (time - since)) / Math.max(1e-9, 1 - since);
  }
}

/** What ends a run; Infinity where nothing does. */
export interface Limits {
  readonly epochs: number;
  readonly budget: number;
}

/** All that a run resumed later has to know of the time before. */
export interface CourseState {
  readonly seconds: number;
  /** When passes over the rows began. */
  readonly begun: number;
  /** Where the clock took over. */
  readonly turned?: Turn;
}

interface Turn {
  readonly share: number;
  readonly time: number;
}

const FRESH: CourseState = { seconds: 0, begun: 0 };
/**
 * A run ends within two seconds or a twentieth of its budget, whichever is more; within a fifth where that is
 * all of it.
 */
const SLACK = 2;
const SLACK_SHARE = 0.05;
const MOST_SLACK = 0.2;
/** The shares of this that a run aims to end early, and that it may end late: saving the model comes after it. */
const AIMED = 0.25;
const LATEST = 0.75;
/**
 * The share of the time after which it is clear how fast a run is, and how far behind it is where time will
 * end it.
 */
const DECIDED = 0.5;
const BEHIND = 0.8;

function milliseconds(): number {
  return performance.now();
}

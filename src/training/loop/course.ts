import type { Schedule } from './trainer.ts';

/**
 * The clock of a run: its time over all the stretches between interruptions, and how far it has come, by
 * which rates fall.
 *
 * If the number of passes is limited, passes alone decide how far a run has come, so that it learns the same
 * on slow and fast machines as long as it ends by its passes. Only a run that its time budget will clearly
 * cut short follows the clock from then on, so that its rates have fallen by its end. Such a run always ends
 * by time.
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

  /** `budget`: seconds for the whole run, including start and finish. */
  constructor({ epochs, budget }: Limits, from: CourseState = FRESH, now: () => number = milliseconds) {
    this.epochs = epochs;
    this.budget = budget;
    this.#before = from.seconds;
    this.#begun = from.begun;
    this.#turned = from.turned;
    this.#now = now;
    this.#start = now();
  }

  /** Seconds of all stretches together. */
  get seconds(): number {
    return this.#before + (this.#now() - this.#start) / 1000;
  }

  /** Seconds of this stretch. */
  get stretch(): number {
    return this.seconds - this.#before;
  }

  get state(): CourseState {
    return { seconds: this.seconds, begun: this.#begun, turned: this.#turned };
  }

  /** Marks the beginning of the passes; time before it does not count as part of them. */
  begin(): void {
    if (this.#before === 0) this.#begun = this.seconds;
  }

  /** Reserves seconds for what comes after learning. */
  leave(seconds: number): void {
    this.#left = seconds;
  }

  /** The second by which learning has to end. */
  get deadline(): number {
    return this.budget - this.#left;
  }

  /**
   * How many seconds before the end of its budget a run aims to end, because surprises only make it later.
   */
  get early(): number {
    return AIMED * this.#slack;
  }

  /** How many seconds after the end of its budget a run may end rather than leave codes unproven. */
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

  /** Whether the clock has influenced what is learned. */
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

/** What ends a run; Infinity for no limit. */
interface Limits {
  readonly epochs: number;
  readonly budget: number;
}

/** What a resumed run needs to know about the time before. */
export interface CourseState {
  readonly seconds: number;
  /** When passes over the rows began. */
  readonly begun: number;
  /** How far the run had come when the clock took over. */
  readonly turned?: Turn;
}

interface Turn {
  readonly share: number;
  readonly time: number;
}

const FRESH: CourseState = { seconds: 0, begun: 0 };
/** A run ends within two seconds or a twentieth of its budget, whichever is more, but at most a fifth. */
const SLACK = 2;
const SLACK_SHARE = 0.05;
const MOST_SLACK = 0.2;
/** Shares of this slack: how early a run aims to end, and how late it may end, before the model is saved. */
const AIMED = 0.25;
const LATEST = 0.75;
/**
 * The share of the time after which the speed of a run is known, and the progress relative to the time below
 * which time will end it.
 */
const DECIDED = 0.5;
const BEHIND = 0.8;

function milliseconds(): number {
  return performance.now();
}

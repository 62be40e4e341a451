import { printable } from '../rows/printable.ts';
import type { Io } from './io.ts';

/** Milliseconds between two changes of the line on a terminal, and between two lines elsewhere. */
const TERMINAL_PAUSE = 100;
const PLAIN_PAUSE = 20_000;
/** Milliseconds between two looks at whether the line is due again although no work has reported. */
const TICK = 1000;
/** Clears the line. */
const CLEAR = '\r\x1b[K';

/**
 * Shows progress: one line that is overwritten on a terminal, a new line now and then elsewhere. The line is
 * also shown anew while work takes long to report again, so that its time goes on.
 */
export class ProgressLine {
  readonly #io: Io;
  readonly #quiet: boolean;
  #shown = false;
  #last: number;
  #text: () => string = () => '';
  #ticking?: ReturnType<typeof setInterval>;

  constructor(io: Io, quiet: boolean) {
    this.#io = io;
    this.#quiet = quiet;
    // The first line comes at once on a terminal; short runs leave no line in a log.
    this.#last = io.terminal ? Number.NEGATIVE_INFINITY : performance.now();
  }

  /** Shows the text, unless one was shown a moment ago. `text` is called whenever it is shown. */
  update(text: () => string): void {
    if (this.#quiet) return;
    this.#text = text;
    this.#ticking ??= setInterval(() => this.#show(), TICK).unref();
    this.#show();
  }

  /** Removes the line from the terminal. */
  clear(): void {
    clearInterval(this.#ticking);
    this.#ticking = undefined;
    if (this.#shown) this.#io.control(CLEAR);
    this.#shown = false;
  }

  #show(): void {
    const now = performance.now();
    if (now - this.#last < (this.#io.terminal ? TERMINAL_PAUSE : PLAIN_PAUSE)) return;
    this.#last = now;
    const text = this.#text();
    if (!this.#io.terminal) {
      this.#io.err(`${text}\n`);
      return;
    }
    this.#io.control(CLEAR);
    this.#io.err(printable(text).slice(0, Math.max(20, this.#io.width - 1)));
    this.#shown = true;
  }
}

/** `12 s`, `3 min 20 s`, `2 h 5 min`. */
export function duration(seconds: number): string {
  if (!Number.isFinite(seconds)) return '?';
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

/** `42%, 3 s left`, from the share that is done and the seconds that it took. */
export function timeLeft(fraction: number, seconds: number): string {
  const percent = `${Math.floor(100 * fraction)}%`;
  return fraction > 0.01 ? `${percent}, ${duration((seconds * (1 - fraction)) / fraction)} left` : percent;
}

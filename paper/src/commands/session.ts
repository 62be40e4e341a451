import type { Command } from 'commander';
import type { Engine } from 'pc-ae';
import { createEngine } from 'pc-ae/node';
import { duration } from './text.ts';

/** What a command has to do with the world besides files. Tests give one of their own. */
export interface Io {
  out(text: string): void;
  err(text: string): void;
  /** Whether `err` is a terminal, where a line can be written over. */
  readonly terminal: boolean;
  readonly signal: AbortSignal;
}

/** Somebody pressed Ctrl-C; the message says what is left and how to go on. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/** Milliseconds between two changes of the line on a terminal, and between two lines elsewhere. */
const [TERMINAL_PAUSE, PLAIN_PAUSE] = [100, 20_000];

/** One run of a command: how it speaks, and the engine it works with. */
export class Session {
  readonly io: Io;
  readonly #json: boolean;
  readonly #quiet: boolean;
  readonly #began = performance.now();
  #last = performance.now();

  constructor(command: Command, io: Io) {
    const { json, quiet } = command.optsWithGlobals<{ json?: boolean; quiet?: boolean }>();
    this.io = io;
    this.#json = json === true;
    this.#quiet = quiet === true;
  }

  get seconds(): number {
    return (performance.now() - this.#began) / 1000;
  }

  /** A message, to the side of the results. */
  say(message: string): void {
    if (!this.#quiet) this.io.err(`${this.io.terminal ? ERASE : ''}${message}\n`);
  }

  /**
   * How far the work has come: a line that is written over on a terminal, a plain line now and then
   * elsewhere.
   */
  progress(text: () => string): void {
    const { terminal } = this.io;
    const now = performance.now();
    if (this.#quiet || now - this.#last < (terminal ? TERMINAL_PAUSE : PLAIN_PAUSE)) return;
    this.#last = now;
    this.io.err(terminal ? `${ERASE}${text()}` : `${text()}\n`);
  }

  /** Progress of work that has named steps: what is left is that of the step at hand. */
  steps(name: string): (step: string, fraction: number) => void {
    let [current, began] = ['', 0];
    return (step, fraction) => {
      if (current !== step) [current, began] = [step, this.seconds];
      this.progress(() => `${name}: ${step}, ${timeLeft(fraction, this.seconds - began)}`);
    };
  }

  /** What the command was asked for: the object with --json, otherwise the text. */
  result(object: Readonly<Record<string, unknown>>, text: string): void {
    if (this.io.terminal) this.io.err(ERASE);
    this.io.out(this.#json ? `${JSON.stringify(object)}\n` : text);
  }

  /** Does some work with an engine of so many threads, and gives them back. */
  async withEngine<T>(threads: number | undefined, work: (engine: Engine) => Promise<T>): Promise<T> {
    const engine = await createEngine({ threads });
    try {
      return await work(engine);
    } finally {
      await engine.close();
    }
  }
}

/** `42%, 3 s left`, from the share that is done and the seconds that it took. */
export function timeLeft(fraction: number, seconds: number): string {
  const percent = `${Math.floor(100 * fraction)}%`;
  return fraction > 0.01 ? `${percent}, ${duration((seconds * (1 - fraction)) / fraction)} left` : percent;
}

const ERASE = '\r\x1b[K';

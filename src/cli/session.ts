import type { Command } from 'commander';
import type { Engine } from '../engine/engine.ts';
import type { Io } from './io.ts';
import { ProgressLine, timeLeft } from './progress.ts';
import { visible, visibleJson } from './terminal.ts';

/** One run of a command: its messages, its result and its engine. */
export class Session {
  readonly io: Io;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly progress: ProgressLine;
  readonly #began = performance.now();

  constructor(command: Command, io: Io) {
    const { json, quiet } = command.optsWithGlobals<{ json?: boolean; quiet?: boolean }>();
    this.io = io;
    this.json = json === true;
    this.quiet = quiet === true;
    this.progress = new ProgressLine(io, this.quiet);
  }

  get seconds(): number {
    return (performance.now() - this.#began) / 1000;
  }

  /** Shows the progress of some work, and the time that is left, estimated from the time since this call. */
  showing(work: string): (fraction: number) => void {
    const began = this.seconds;
    return (fraction) => this.progress.update(() => `${work}: ${timeLeft(fraction, this.seconds - began)}`);
  }

  /** Prints a message on the error stream, apart from the results. */
  say(message: string): void {
    this.progress.clear();
    if (!this.quiet) this.io.err(`${message}\n`);
  }

  /** Prints the result: the object with --json, otherwise the text. */
  async result(object: Readonly<Record<string, unknown>>, text: string): Promise<void> {
    this.progress.clear();
    await this.io.out(this.json ? `${visibleJson(object)}\n` : visible(text));
  }

  /** Runs work on an engine with this many threads, or on the `chosen` one, and closes it afterwards. */
  async withEngine<T>(
    threads: number | undefined,
    work: (engine: Engine) => Promise<T>,
    chosen?: Engine,
  ): Promise<T> {
    const { createEngine, enableRelaxedSimd } = await import('../engine/node/index.ts');
    if (this.io.ownProcess) enableRelaxedSimd();
    if (chosen) this.say(`computing on ${chosen.name}`);
    const engine = chosen ?? (await createEngine({ threads }));
    try {
      return await work(engine);
    } finally {
      this.progress.clear();
      await engine.close();
    }
  }
}

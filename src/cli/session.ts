import type { Command } from 'commander';
import type { Engine } from '../engine/engine.ts';
import type { Io } from './io.ts';
import { ProgressLine, timeLeft } from './progress.ts';
import { visible, visibleJson } from './terminal.ts';

/** One run of a command: how it speaks, and the engine it works with. */
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

  /** Shows how much of some work is done, and the time that is left by what it has taken since now. */
  showing(work: string): (fraction: number) => void {
    const began = this.seconds;
    return (fraction) => this.progress.update(() => `${work}: ${timeLeft(fraction, this.seconds - began)}`);
  }

  /** A message, to the side of the results. */
  say(message: string): void {
    this.progress.clear();
    if (!this.quiet) this.io.err(`${message}\n`);
  }

  /** What the command was asked for: the object with --json, otherwise the text. */
  async result(object: Readonly<Record<string, unknown>>, text: string): Promise<void> {
    this.progress.clear();
    await this.io.out(this.json ? `${visibleJson(object)}\n` : visible(text));
  }

  /** Does some work with an engine of so many threads, or with one that was chosen for it, and gives it back. */
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

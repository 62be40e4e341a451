/**
 * A command's connection to the world besides files: results go to `out`, messages and progress to `err`, and
 * `signal` aborts when the command should stop. Tests replace it.
 */
export interface Io {
  /** Resolves when the reader has taken the data, so that nothing piles up in memory. */
  out(data: string | Uint8Array): Promise<void>;
  err(text: string): void;
  /** Writes one of this program's own control sequences to `err`. */
  control(sequence: string): void;
  /** Whether `err` is a terminal, where a line can be written over. */
  readonly terminal: boolean;
  /** Whether `out` is a terminal. */
  readonly outTerminal: boolean;
  /** The characters in a line of the terminal. */
  readonly width: number;
  readonly color: boolean;
  /** Whether the process runs only this command, which may then set flags of the process. */
  readonly ownProcess: boolean;
  readonly signal: AbortSignal;
  /** Registers work for the end of the command, whether it fails or not. */
  atEnd(work: () => Promise<void>): void;
}

/** The part of `Io` that comes from outside. */
export type World = Omit<Io, 'atEnd'>;

/** The signals that ask a command to stop: Ctrl-C, kill, and a closed terminal. */
const STOPPING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The streams of the process. The first signal asks the command to stop, the second ends it at once. */
export function processIo(): World {
  const { stdout, stderr, env } = process;
  const stop = new AbortController();
  const onSignal = () => {
    if (stop.signal.aborted) process.exit(130);
    stop.abort();
  };
  for (const signal of STOPPING) process.on(signal, onSignal);
  // A reader that went away (`| head`) makes the next write fail; nothing needs to happen here.
  stdout.on('error', () => undefined);
  // A closed terminal cannot show messages; the work still ends properly.
  stderr.on('error', () => undefined);
  const err = (text: string) => {
    stderr.write(text);
  };
  return {
    out: (data) =>
      new Promise((resolve, reject) => {
        stdout.write(data, (error) => (error ? reject(error) : resolve()));
      }),
    err,
    control: err,
    terminal: stderr.isTTY === true && env.TERM !== 'dumb',
    outTerminal: stdout.isTTY === true,
    width: stderr.columns || 80,
    color: stderr.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb',
    ownProcess: true,
    signal: stop.signal,
  };
}

/**
 * What a command has to do with the world besides files: results go to `out`, messages and progress to `err`,
 * and `signal` says that somebody wants it to stop. Tests give one of their own.
 */
export interface Io {
  /** Resolves when the reader has taken the data, so that nothing piles up in memory. */
  out(data: string | Uint8Array): Promise<void>;
  err(text: string): void;
  /** Sends a control sequence of this program's own to where `err` goes. */
  control(sequence: string): void;
  /** Whether `err` is a terminal, where a line can be written over. */
  readonly terminal: boolean;
  /** Whether `out` is one. */
  readonly outTerminal: boolean;
  /** Characters in a line of that terminal. */
  readonly width: number;
  readonly color: boolean;
  /** Whether the process is the command's own, so that it may set flags of it. */
  readonly ownProcess: boolean;
  readonly signal: AbortSignal;
  /** Does something when the command has ended, however it did. */
  atEnd(work: () => Promise<void>): void;
}

/** The part of it that a command is given from outside. */
export type World = Omit<Io, 'atEnd'>;

/** What asks a command to stop: Ctrl-C, a polite kill, and a terminal that is closed. */
const STOPPING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The process's own streams. The first such signal asks the command to stop, the second ends it on the spot. */
export function processIo(): World {
  const { stdout, stderr, env } = process;
  const stop = new AbortController();
  const onSignal = () => {
    if (stop.signal.aborted) process.exit(130);
    stop.abort();
  };
  for (const signal of STOPPING) process.on(signal, onSignal);
  // A reader that went away (`| head`) is told to whoever writes next; nothing else has to happen.
  stdout.on('error', () => undefined);
  // A terminal that was closed cannot show what is said; the work still ends as it should.
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

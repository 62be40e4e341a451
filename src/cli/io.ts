/**
 * What a command has to do with the world besides files: results go to `out`, messages and progress to `err`, and
 * `signal` says that somebody wants it to stop. Tests give one of their own.
 */
export interface Io {
  /** Resolves when the reader has taken the data, so that nothing piles up in memory. */
  out(data: string | Uint8Array): Promise<void>;
  err(text: string): void;
  /** Whether `err` is a terminal, where a line can be written over. */
  readonly terminal: boolean;
  /** Characters in a line of that terminal. */
  readonly width: number;
  readonly color: boolean;
  readonly signal: AbortSignal;
}

/** The process's own streams. The first Ctrl-C asks the command to stop, the second ends it on the spot. */
export function processIo(): Io {
  const { stdout, stderr, env } = process;
  const stop = new AbortController();
  const onSignal = () => {
    if (stop.signal.aborted) process.exit(130);
    stop.abort();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  // A reader that went away (`| head`) is told to whoever writes next; nothing else has to happen.
  stdout.on('error', () => undefined);
  return {
    out: (data) =>
      new Promise((resolve, reject) => {
        stdout.write(data, (error) => (error ? reject(error) : resolve()));
      }),
    err: (text) => {
      stderr.write(text);
    },
    terminal: stderr.isTTY === true && env.TERM !== 'dumb',
    width: stderr.columns || 80,
    color: stderr.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb',
    signal: stop.signal,
  };
}

import { CommanderError } from 'commander';
import type { Io } from './io.ts';
import { limitAdvice } from './limits.ts';

/** A mistake in the command line: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The user pressed Ctrl-C: exit code 130. The message says what was kept and how to continue. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/** Colours of a terminal. */
const RED = '\x1b[31m';
const PLAIN = '\x1b[0m';

/** Prints what went wrong and returns the exit code. */
export function explain(error: unknown, io: Io, debug: boolean): number {
  // Commander has printed its message already. Help and version come here too, and are no errors.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  if ((error as NodeJS.ErrnoException).code === 'EPIPE') return 0;
  if (name === 'AbortError' || name === 'Interrupted') {
    io.err(`${name === 'Interrupted' ? message : 'interrupted'}\n`);
    return 130;
  }
  if (io.color) io.control(RED);
  io.err('error:');
  if (io.color) io.control(PLAIN);
  io.err(` ${limitAdvice(error) ?? message}\n`);
  if (debug && stack) io.err(`${stack}\n`);
  return error instanceof UsageError ? 2 : 1;
}

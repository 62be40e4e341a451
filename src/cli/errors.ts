import { CommanderError } from 'commander';
import type { Io } from './io.ts';
import { limitAdvice } from './limits.ts';

/** The command line asks for something that makes no sense: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Somebody pressed Ctrl-C; the message says what is left and how to go on: exit code 130. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/** Colours of a terminal. */
const RED = '\x1b[31m';
const PLAIN = '\x1b[0m';

/** Says what went wrong, for people, and gives the exit code. */
export function explain(error: unknown, io: Io, debug: boolean): number {
  // Commander has said it already; help and version come here too and are no errors.
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

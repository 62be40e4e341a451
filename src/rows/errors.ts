import { printable } from './printable.ts';

/**
 * An error in a user's data: which file, where in it, what was found and what to do. Every reader throws this
 * and nothing else when a file is not what it should be.
 */
export class FormatError extends Error {
  /** The file, folder or stream that was read. */
  readonly file: string;
  /**
   * Where in it: a row and a column, a line, a byte, a variable. Empty if the error is about the whole file.
   */
  readonly place: string;
  /** The possible readings, if the file is ambiguous: for a program that asks its user. */
  readonly candidates?: readonly Candidate[];

  constructor(
    file: string,
    place: string,
    message: string,
    cause?: unknown,
    candidates?: readonly Candidate[],
  ) {
    const text = printable(`${place ? `${file}, ${place}` : file}: ${message}`);
    super(text, cause === undefined ? undefined : { cause });
    this.name = 'FormatError';
    this.file = file;
    this.place = place;
    this.candidates = candidates;
  }
}

/** An error about a file as a whole. */
export function badFile(file: string, message: string, cause?: unknown): FormatError {
  return new FormatError(file, '', message, cause);
}

/** One way to read a table. */
export interface Candidate {
  /** What to type on the command line; `optionsOfFlags` of `pc-ae/formats` turns it into options. */
  readonly flags: string;
  readonly reading: string;
}

/** The numbers of a file have several possible meanings, or none; an option has to choose. */
export class UnclearValues extends FormatError {}

/**
 * Runs code of other packages on a user's bytes. Everything it throws becomes a FormatError, except an abort.
 */
export async function guarded<T>(file: string, what: string, run: () => T | Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof FormatError || (error instanceof Error && error.name === 'AbortError')) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    const short = reason.length > MOST ? `${reason.slice(0, MOST)}…` : reason;
    throw badFile(file, `cannot be read as ${what} (${short})`, error);
  }
}

/** The most letters of such a message, because some quote the whole file. */
const MOST = 200;

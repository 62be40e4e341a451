import { printable } from './printable.ts';

/**
 * What is wrong with a user's data, in words for that user: which file, where in it, what was found and what
 * to do. Every reader throws this and nothing else when a file is not what it should be.
 */
export class FormatError extends Error {
  /** The file, folder or stream that was read. */
  readonly file: string;
  /** Where in it: a row and a column, a line, a byte, a variable. Empty if the error is about the whole file. */
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

/** One way to read a table. */
export interface Candidate {
  /** What to type on the command line; `optionsOfFlags` of `pc-ae/formats` makes options of it. */
  readonly flags: string;
  readonly reading: string;
}

/** The numbers of a file could be several things, or none of those that rows are made of; an option has to say. */
export class UnclearValues extends FormatError {}

/**
 * Runs code that is not ours on somebody's bytes: whatever it throws becomes a FormatError, but for being
 * stopped.
 */
export async function guarded<T>(file: string, what: string, run: () => T | Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof FormatError || (error instanceof Error && error.name === 'AbortError')) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    const short = reason.length > MOST ? `${reason.slice(0, MOST)}…` : reason;
    throw new FormatError(file, '', `cannot be read as ${what} (${short})`, error);
  }
}

/** Letters of a message that is not ours: some quote all of a file. */
const MOST = 200;

import { InvalidArgumentError, Option } from 'commander';

/** Parsers of option values, whose errors say what was expected. */

export function whole(least: number, most = Number.MAX_SAFE_INTEGER): (text: string) => number {
  const range = most < Number.MAX_SAFE_INTEGER ? `from ${least} to ${most}` : `of at least ${least}`;
  return (text) => {
    const value = Number(text);
    if (text.trim() === '' || !Number.isSafeInteger(value) || value < least || value > most)
      throw new InvalidArgumentError(`Expected a whole number ${range}.`);
    return value;
  };
}

export function positive(text: string): number {
  const value = Number(text);
  if (!(value > 0 && Number.isFinite(value))) throw new InvalidArgumentError('Expected a number above 0.');
  return value;
}

export function notNegative(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0 && Number.isFinite(value))) {
    throw new InvalidArgumentError('Expected a number of at least 0.');
  }
  return value;
}

/** Numbers separated by commas. */
export function listOf(one: (text: string) => number): (text: string) => number[] {
  return (text) => text.split(',').map((part) => one(part));
}

/** Each thread takes several MB and a tenth of a second to start, also where there is no core for it. */
const MOST_THREADS = 256;

export const threadsOption = () =>
  new Option('--threads <count>', 'threads to use (default: one per core, at most 8)').argParser(
    whole(1, MOST_THREADS),
  );

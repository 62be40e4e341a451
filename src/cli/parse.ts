import { InvalidArgumentError, Option } from 'commander';

/** Parsers of option values, whose errors say what was expected. */

export function whole(least: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() === '' || !Number.isSafeInteger(value) || value < least) {
      throw new InvalidArgumentError(`Expected a whole number of at least ${least}.`);
    }
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

export const threadsOption = () =>
  new Option('--threads <count>', 'threads to use (default: one per core, at most 8)').argParser(whole(1));

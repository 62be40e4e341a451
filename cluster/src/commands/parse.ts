import { InvalidArgumentError } from 'commander';

/** Readings of the words that options are given. */

export function whole(text: string): number {
  const value = numberIn(text);
  if (!(Number.isInteger(value) && value > 0))
    throw new InvalidArgumentError('Expected a whole number above 0.');
  return value;
}

export function positive(text: string): number {
  const value = numberIn(text);
  if (!(value > 0)) throw new InvalidArgumentError('Expected a number above 0.');
  return value;
}

export function notNegative(text: string): number {
  const value = numberIn(text);
  if (!(value >= 0)) throw new InvalidArgumentError('Expected a number, 0 or more.');
  return value;
}

/** Several, with commas between. */
export function listOf(of: (text: string) => number): (text: string) => number[] {
  return (text) => text.split(',').map(of);
}

/** NaN where there is no number, or one without end. */
function numberIn(text: string): number {
  const value = Number(text);
  return text.trim() !== '' && Number.isFinite(value) ? value : Number.NaN;
}

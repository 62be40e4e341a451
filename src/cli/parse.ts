import { InvalidArgumentError, Option } from 'commander';
import { CORRUPTIONS, type Corruption, type CorruptionKind } from '../rows/corrupt.ts';

/** Readers of option values; each says what it expected when it finds something else. */

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

/** Noise as in `mask:0.25`: its kind and the share of entries that it hits. */
export function parseCorruption(text: string): Pick<Corruption, 'kind' | 'rho'> {
  const [kind, share] = text.split(':');
  const rho = Number(share);
  if (CORRUPTIONS.includes(kind as CorruptionKind) && share?.trim() && rho >= 0 && rho <= 1) {
    return { kind: kind as CorruptionKind, rho };
  }
  throw new InvalidArgumentError(`Expected one of ${CORRUPTIONS.join(', ')} and a share, as in mask:0.25.`);
}

/** Noise that rows are known to have been through, of the kind that can be corrected without the clean rows. */
export function parseNoise(text: string): { readonly mask: number } {
  const { kind, rho } = parseCorruption(text);
  if (kind === 'mask' && rho < 1) return { mask: rho };
  throw new InvalidArgumentError(
    'Expected mask and a share below 1, as in mask:0.25; other noise needs --clean.',
  );
}

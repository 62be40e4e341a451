import { InvalidArgumentError } from 'commander';
import { CORRUPTIONS, type Corruption, type CorruptionKind } from '../rows/corrupt.ts';

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

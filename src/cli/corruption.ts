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

import type { SetName } from '../../encodings/encoding.ts';
import { constants } from './binary.generated.ts';

/** How the kernels call a set; 0 is the box. */
export function setNumber(set: SetName | undefined): number {
  const numbers = {
    nonnegative: constants.NONNEGATIVE,
    simplex: constants.SIMPLEX,
    ball: constants.BALL,
  };
  return set ? numbers[set] : 0;
}

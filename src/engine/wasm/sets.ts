import { ball } from '../../encodings/ball.ts';
import type { CodeSet } from '../../encodings/encoding.ts';
import { nonnegative } from '../../encodings/nonnegative.ts';
import { simplex } from '../../encodings/simplex.ts';
import { constants } from './layout.generated.ts';

/** How the kernels call a set: 0 is the box, and sets that no kernel knows have no number. */
export function setNumber(set: CodeSet | undefined): number | undefined {
  return set ? NUMBERS.get(set) : 0;
}

const NUMBERS: ReadonlyMap<CodeSet, number> = new Map([
  [nonnegative, constants.NONNEGATIVE],
  [simplex, constants.SIMPLEX],
  [ball, constants.BALL],
]);

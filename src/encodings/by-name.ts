import { ball } from './ball.ts';
import { bits } from './bits.ts';
import { box } from './box.ts';
import type { CodeSet, Encoding, EncodingName } from './encoding.ts';
import { nonnegative } from './nonnegative.ts';
import { real } from './real.ts';
import { simplex } from './simplex.ts';

/** Every encoding there is; the first is the default. */
export const encodings = [box, real, bits, nonnegative, simplex, ball] as const satisfies readonly Encoding[];

export const encodingNames: readonly EncodingName[] = encodings.map(({ name }) => name);

/** The encoding of that name; the paper's box if none is given. */
export function encodingOf(name: EncodingName = 'box'): Encoding {
  const found = encodings.find((encoding) => encoding.name === name);
  if (found) return found;
  throw new RangeError(`encoding must be one of ${encodingNames.join(', ')}, got ${JSON.stringify(name)}`);
}

/** The set that codes are confined to while an engine works on them, unless it is a symmetric box. */
export function setOf(encoding: Encoding): CodeSet | undefined {
  return encoding.free || encoding.discrete ? undefined : encoding;
}

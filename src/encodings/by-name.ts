import { ball } from './ball.ts';
import type { Encoding, EncodingName, SetName } from './encoding.ts';
import { nonnegative } from './nonnegative.ts';
import { real } from './real.ts';
import { simplex } from './simplex.ts';

/** Every encoding there is. */
export const encodingNames = [
  'box',
  'real',
  'bits',
  'nonnegative',
  'simplex',
  'ball',
] as const satisfies readonly EncodingName[];

/** The convex set of that name and size; without a name, the box of that radius. */
export function convexSet(name: SetName | undefined, radius: number): Encoding {
  if (name === 'nonnegative') return nonnegative(radius);
  if (name === 'simplex') return simplex(radius);
  if (name === 'ball') return ball(radius);
  return real(radius);
}

/** The name of the set, where codes of that encoding are confined to one that is no box. */
export function setOf(encoding: Encoding['name']): SetName | undefined {
  return encoding === 'nonnegative' || encoding === 'simplex' || encoding === 'ball' ? encoding : undefined;
}

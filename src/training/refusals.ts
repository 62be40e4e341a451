import { encodingNames, encodingOf } from '../encodings/by-name.ts';
import type { EncodingName, Refusals } from '../encodings/encoding.ts';

/**
 * Which options exclude each other: one table for the library and the command line, with the library's names
 * of options. An option that would have no effect is refused too, so that nobody believes it had one. Options
 * that an encoding refuses are listed in the encoding.
 */
const EXCLUSIONS: readonly Exclusive[] = [
  {
    option: 'algorithm',
    refuses: {
      l1: 'it uses all correlations as they are',
      chosen: 'it uses all correlations as they are',
      rowWeights: 'it counts all rows alike',
      columnWeights: 'it counts all columns alike',
      ridge: 'it has none',
      rate: 'its step length is fixed',
      start: 'it starts from random weights',
      validation: 'it ends by its epochs or by time',
      neighbours: 'it holds no rows out, by which they would be chosen',
      minImprovement: 'it ends by its epochs or by time',
      codes: "it finds every row's code at the end and keeps it",
      bias: 'it has no bias unit',
    },
  },
  { option: 'path', refuses: { algorithm: 'units are added by the fast procedure' } },
  { option: 'codes', refuses: { rowWeights: 'weights of rows need codes that are kept' } },
  {
    option: 'noise.mask',
    refuses: {
      loss: 'only the cross-entropy has scores that are probabilities; clean rows go with every loss',
      neighbours: 'neighbours are noisy too',
    },
  },
  {
    option: 'noise.clean',
    refuses: {
      chosen: 'a decoder that restores rows has all of its weights',
      l1: 'a decoder that restores rows has all of its weights',
      neighbours: 'neighbours are noisy too',
    },
  },
];

/** An option with the options that may not be given beside it. */
interface Exclusive {
  readonly option: string;
  readonly refuses: Refusals;
}

/** The options that were given, by their names in the library. */
type Given = Readonly<Record<string, unknown>>;

/** Two options that exclude each other, and why. */
interface Exclusion {
  readonly one: string;
  readonly other: string;
  readonly because: string;
}

/** The first two options that exclude each other; undefined if there are none. */
export function exclusionIn(given: Given): Exclusion | undefined {
  const noise = given.noise as { readonly mask?: unknown; readonly clean?: unknown } | undefined;
  const options: Given = { ...given, 'noise.mask': noise?.mask, 'noise.clean': noise?.clean };
  const encoding = options.encoding as EncodingName | undefined;
  const named = encoding !== undefined && encodingNames.includes(encoding);
  const all = named
    ? [{ option: 'encoding', refuses: encodingOf(encoding).refuses }, ...EXCLUSIONS]
    : EXCLUSIONS;
  for (const { option, refuses } of all) {
    if (option !== 'encoding' && !isGiven(option, options)) continue;
    for (const [other, because] of Object.entries(refuses)) {
      if (because !== undefined && isGiven(other, options, option)) return { one: option, other, because };
    }
  }
  return undefined;
}

/** Throws if options exclude each other, before any work is done. */
export function checkExclusions(call: string, options: object): void {
  const found = exclusionIn(options as Given);
  if (!found) return;
  const words = (name: string) => {
    const value = Reflect.get(options, name) as unknown;
    return typeof value === 'string' ? `${name} '${value}'` : name;
  };
  const { one, other, because } = found;
  throw new RangeError(`${call}: ${words(one)} and ${words(other)} exclude each other: ${because}`);
}

/** Whether an option is given with a value that asks for something; a default given explicitly does not. */
function isGiven(name: string, options: Given, beside?: string): boolean {
  const value = options[name];
  if (value === undefined || value === false)
    return name === 'bias' && value === false && beside === 'encoding';
  if (name === 'bias') return beside === 'algorithm';
  if (typeof value === 'object' && value !== null && 'length' in value && name === 'l1')
    return Array.from(value as ArrayLike<number>).some((eps) => eps !== 0);
  if (name === 'loss') return (value as { readonly name?: string } | null)?.name !== 'cross-entropy';
  return !(ASKS_NOTHING[name] ?? []).includes(value);
}

/** Values that are the same as leaving the option out. */
const ASKS_NOTHING: Readonly<Record<string, readonly unknown[]>> = {
  algorithm: ['fast'],
  codes: ['keep'],
  effort: ['default'],
  ridge: [0],
  minImprovement: [0],
  l1: [0],
  shrink: [0],
  neighbours: [0],
};

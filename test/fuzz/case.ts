import { drawMutation, type Mutation } from './mutate.ts';
import { random } from './random.ts';
import { repaired } from './repair.ts';
import type { Format, Seed } from './seeds/seed.ts';

/** One damaged file. Seed and index say all about it: the same two make the same file on every machine. */
export interface Case {
  readonly format: Format;
  readonly name: string;
  readonly bytes: Uint8Array;
  /** What was done to it, in order. */
  readonly changes: readonly string[];
  /** Fixes the choices of whoever opens it. */
  readonly choice: number;
}

/** How many changes. Most files that are damaged once get further than those that are damaged often. */
const COUNTS = [1, 1, 1, 2, 3];

/** `without` leaves out changes by their number: that is how a finding is made smaller. */
export function makeCase(
  seeds: readonly Seed[],
  seed: number,
  index: number,
  without: readonly number[] = [],
): Case {
  const draw = random(seed, index);
  const format = draw.pick([...new Set(seeds.map((one) => one.format))]);
  const file = draw.pick(seeds.filter((one) => one.format === format));
  const other = draw.pick(seeds);
  const parts = [...file.parts];
  const changes: string[] = [];
  const kept = (what: string): boolean => {
    const left = without.includes(changes.length);
    changes.push(left ? '-' : what);
    return !left;
  };
  const apply = (mutation: Mutation, k: number) => {
    if (kept(`${mutation.name} of part ${k}`)) parts[k] = mutation.apply(parts[k]);
  };
  const stranger = other.build(other.parts);
  // Damage within the checksums, damage of the file as a whole, or both.
  const where = draw.pick(['within', 'within', 'whole', 'both'] as const);
  if (where !== 'whole') {
    for (let k = draw.pick(COUNTS); k > 0; k--)
      apply(drawMutation(draw.split(), stranger), draw.below(parts.length));
  }
  let bytes = file.build(parts);
  if (where !== 'within') {
    for (let k = draw.pick(COUNTS); k > 0; k--) {
      const mutation = drawMutation(draw.split(), stranger);
      if (kept(mutation.name)) bytes = mutation.apply(bytes);
    }
  }
  const mended = !draw.oneIn(4);
  return {
    format: file.format,
    name: file.name,
    bytes: mended && !file.name.endsWith('.gz') ? repaired(file.format, bytes) : bytes,
    changes,
    choice: draw.below(2 ** 31),
  };
}

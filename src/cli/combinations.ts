import type { Command, Option } from 'commander';
import { exclusionIn } from '../training/refusals.ts';
import { DATA_GROUP } from './data.ts';
import { UsageError } from './errors.ts';

/**
 * The library's options for those of the command line, because the library knows which options exclude each
 * other. Two options with the same meaning exclude each other too.
 */
const MEANINGS: Readonly<Record<string, Meaning>> = {
  encoding: (value) => ({ encoding: value }),
  algorithm: (value) => ({ algorithm: value }),
  bias: (value) => ({ bias: value }),
  l1: (value) => ({ l1: value }),
  l1File: () => ({ l1: true }),
  chosen: () => ({ chosen: true }),
  local: () => ({ chosen: true }),
  keepStrongest: () => ({ chosen: true }),
  rowWeights: () => ({ rowWeights: true }),
  columnWeights: () => ({ columnWeights: true }),
  ridge: (value) => ({ ridge: value }),
  neighbours: (value) => ({ neighbours: value }),
  minImprovement: (value) => ({ minImprovement: value }),
  validation: (value) => ({ validation: value }),
  lowMemory: () => ({ codes: 'recompute' }),
  loss: (value) => ({ loss: value }),
  noise: () => ({ noise: { mask: true } }),
  clean: () => ({ noise: { clean: true } }),
  grow: () => ({ path: true }),
};

type Meaning = (value: unknown) => Readonly<Record<string, unknown>>;

/** Refuses options that exclude each other, before any work is done. */
export function checkCombinations(command: Command): void {
  const said: Record<string, unknown> = {};
  const flags = new Map<string, string>();
  for (const option of command.options.filter((one) => isGiven(command, one))) {
    const meaning = MEANINGS[option.attributeName()]?.(command.getOptionValue(option.attributeName())) ?? {};
    for (const [name, value] of Object.entries(meaning)) {
      const before = flags.get(name);
      if (before !== undefined) throw excluding(before, typed(command, option), 'give one of them');
      said[name] = value;
      flags.set(name, typed(command, option));
    }
  }
  const found = exclusionIn(said);
  const flag = (name: string) => flags.get(name.split('.')[0]) ?? name;
  if (found) throw excluding(flag(found.one), flag(found.other), found.because);
  const needs = FILES.find(({ when }) => when(command.opts()));
  if (needs) throw excluding(needs.one, needs.other, needs.because);
}

/** Exclusions of the command line alone, where rows come from files. */
const FILES: readonly {
  readonly when: (options: Readonly<Record<string, unknown>>) => boolean;
  readonly one: string;
  readonly other: string;
  readonly because: string;
}[] = [
  {
    when: ({ lowMemory, validation }) => lowMemory === true && typeof validation === 'number',
    one: '--low-memory',
    other: '--validation',
    because: 'a share needs rows in memory; give --validation a file',
  },
  {
    when: ({ lowMemory, validation, ridge }) =>
      lowMemory === true && validation === undefined && ridge === 'auto',
    one: '--low-memory',
    other: '--ridge auto',
    because: 'a ridge is chosen on rows held out; give --validation a file',
  },
  {
    when: ({ lowMemory, validation, neighbours }) =>
      lowMemory === true && validation === undefined && neighbours !== undefined && neighbours !== 0,
    one: '--low-memory',
    other: '--neighbours',
    because: 'neighbours are chosen on rows held out; give --validation a file',
  },
  {
    when: ({ calibrate, rowWeights }) => typeof calibrate === 'number' && rowWeights !== undefined,
    one: '--calibrate',
    other: '--row-weights',
    because: 'promises are about rows that count alike; give --calibrate a file',
  },
  {
    when: ({ calibrate, clean }) => typeof calibrate === 'number' && clean !== undefined,
    one: '--calibrate',
    other: '--clean',
    because: 'the clean rows belong to all noisy ones; give --calibrate a file',
  },
  {
    when: ({ grow, heldOut }) => grow === true && typeof heldOut === 'string',
    one: '--grow',
    other: '--held-out',
    because: 'it holds out a share of the rows; give --held-out a number such as 0.1',
  },
];

function excluding(one: string, other: string, because: string): UsageError {
  return new UsageError(`${one} and ${other} exclude each other: ${because}`);
}

/**
 * For a kind of learning that `flag` asks for: refuses all options except the `known` ones and those for
 * reading data. `reasons` explains some refusals.
 */
export function refuseOthers(
  command: Command,
  flag: string,
  known: readonly string[],
  reasons: Readonly<Record<string, string>> = {},
): void {
  for (const option of command.options) {
    const name = option.attributeName();
    if (option.helpGroupHeading === DATA_GROUP || known.includes(name) || !isGiven(command, option)) continue;
    throw new UsageError(
      reasons[name]
        ? `${flag} ${reasons[name]}: leave ${option.long} out`
        : `${flag} cannot be combined with ${option.long}`,
    );
  }
}

/** Whether an option was given on the command line with another value than its default. */
function isGiven(command: Command, option: Option): boolean {
  const name = option.attributeName();
  return command.getOptionValueSource(name) === 'cli' && command.getOptionValue(name) !== option.defaultValue;
}

/** The option as typed, with its value if it is a choice. */
function typed(command: Command, option: Option): string {
  const value = command.getOptionValue(option.attributeName()) as unknown;
  if (option.argChoices) return `${option.long} ${value}`;
  return option.attributeName() === 'loss'
    ? `${option.long} ${(value as { name: string }).name}`
    : String(option.long);
}

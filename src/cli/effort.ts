import { type Command, Option } from 'commander';
import { encodingOf } from '../encodings/by-name.ts';
import type { Autoencoder } from '../model/autoencoder.ts';
import { Stack } from '../model/stack.ts';
import { type Effort, MOST_ENUMERATED } from '../solvers/encode-bits.ts';
import { UsageError } from './errors.ts';
import { positive } from './parse.ts';

/** The option for how close codes are proven to be to their optimum. */
export const toleranceOption = () =>
  new Option(
    '--tolerance <nats>',
    'prove each code to be this close to the best one (default: 0.01); codes of a stack have no proof',
  ).argParser(positive);

/** The values of the options of `addSearchOptions`. */
export interface SearchOptions {
  readonly effort: Effort;
  readonly bound?: boolean;
}

/** Adds the options for searching and bounding codes of true bits; other codes are optimal without. */
export function addSearchOptions(command: Command): Command {
  return command
    .addOption(effortOption())
    .option(
      '--bound',
      'codes of bits: prove smaller gaps, by also finding the best code of each row among numbers from -1 to 1',
    );
}

const effortOption = () =>
  new Option(
    '--effort <level>',
    'codes of bits: how hard to search; exhaustive tries all codes, of up to 16 bits',
  )
    .choices(['fast', 'default', 'thorough', 'exhaustive'])
    .default('default');

/** Refuses options that do not apply to the model's codes: search, draws, or proofs. */
export function checkCodeOptions(
  options: Partial<SearchOptions> & { readonly tolerance?: number; readonly draws?: number },
  model: Autoencoder,
): void {
  const { encoding, H } = model;
  const { effort = 'default' } = options;
  const stack = model instanceof Stack;
  if (stack && options.tolerance !== undefined) {
    throw new UsageError('--tolerance is for codes that are proven; those of a stack have no proof');
  }
  const { refuses } = encodingOf(encoding);
  if (effort !== 'default' && refuses.effort) {
    throw new UsageError(`--effort is for codes of bits; ${stack ? 'a stack has none' : refuses.effort}`);
  }
  if (effort === 'exhaustive' && H > MOST_ENUMERATED) {
    throw new UsageError(
      `--effort exhaustive tries all codes, for up to ${MOST_ENUMERATED} bits; this model has ${H}`,
    );
  }
  if (options.bound && refuses.bound) {
    throw new UsageError(
      `--bound is for codes of bits; ${stack ? 'those of a stack have no proof' : refuses.bound}`,
    );
  }
  if (options.draws !== undefined && (stack || refuses.draws)) {
    throw new UsageError(
      `--draws is for box codes of one layer, which stand for bits; this ${stack ? 'is a stack' : `model has ${encoding} codes`}`,
    );
  }
}

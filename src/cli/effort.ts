import { type Command, Option } from 'commander';
import type { PCAE } from '../model/model.ts';
import type { Effort } from '../solvers/encode-bits.ts';
import { UsageError } from './errors.ts';

/** What the options of `addSearchOptions` leave in a command's options. */
export interface SearchOptions {
  readonly effort: Effort;
  readonly bound?: boolean;
}

/** How codes of true bits are searched for and bounded; codes of other kinds are optimal as they are. */
export function addSearchOptions(command: Command): Command {
  return command
    .addOption(effortOption())
    .option(
      '--bound',
      "codes of bits: solve each row's relaxation to the box, for the tightest gap it can prove",
    );
}

export const effortOption = () =>
  new Option(
    '--effort <level>',
    'codes of bits: how hard to search; exhaustive tries all codes, up to 16 bits',
  )
    .choices(['fast', 'default', 'thorough', 'exhaustive'])
    .default('default');

export function checkSearchOptions(options: SearchOptions, model: PCAE): void {
  if (options.bound && model.encoding !== 'bits') {
    throw new UsageError(`--bound is for codes of bits; the gaps of ${model.encoding} codes are tight`);
  }
}

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';

/** What every experiment is told. */
export interface RunOptions {
  readonly data: string;
  readonly out: string;
  readonly readme?: string;
  readonly models?: string;
  readonly epochs?: number;
  readonly seed: number;
  readonly threads?: number;
}

/** The options of all experiments; `written` says what goes to --out. */
export function addRunOptions(command: Command, written: string): Command {
  return command
    .requiredOption('--data <folder>', 'the folder with the data sets')
    .option('--out <folder>', `where ${written}`, 'paper/results')
    .option('--readme <file>', 'also show it between the markers of this file')
    .option(
      '--models <folder>',
      'where the autoencoders are kept that table and figures share (default: models in --out)',
    )
    .option('--epochs <count>', 'at most so many epochs in every run, for a trial', whole(1))
    .option('--seed <k>', 'fixes everything random in learning', whole(0), 1)
    .option('--threads <count>', 'threads to use (default: one for each core, 8 at most)', whole(1));
}

export function modelsOf({ out, models = join(out, 'models') }: RunOptions): string {
  return models;
}

/** The version of the library that results come from. */
export const PROGRAM = `pc-ae ${createRequire(import.meta.url)('pc-ae/package.json').version}`;

export function whole(least: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() === '' || !Number.isSafeInteger(value) || value < least) {
      throw new InvalidArgumentError(`Expected a whole number of at least ${least}.`);
    }
    return value;
  };
}

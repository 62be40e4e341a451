import { type Command, InvalidArgumentError, Option } from 'commander';
import { encodingNames, encodings } from '../encodings/by-name.ts';
import type { EncodingName } from '../encodings/encoding.ts';
import { lossByName } from '../losses/by-name.ts';
import type { Loss } from '../losses/loss.ts';
import { checkHidden } from '../training/hidden.ts';
import type { FitOptions } from '../training/options.ts';
import { UsageError } from './errors.ts';
import { notNegative, positive, threadsOption, whole } from './parse.ts';

/** The values of the options of `addTrainingOptions`, and of `--l1`, which commands define differently. */
export interface TrainingOptions {
  readonly encoding: EncodingName;
  readonly algorithm: 'fast' | 'paper' | 'paper-text';
  readonly loss: Loss;
  readonly l1: number;
  readonly epochs?: number;
  readonly time?: number;
  readonly minImprovement?: number;
  readonly bias: boolean;
  readonly seed: number;
  readonly lowMemory?: boolean;
  readonly threads?: number;
}

/** Adds the options of learning, except for size and ridge. */
export function addTrainingOptions(command: Command): Command {
  return command
    .optionsGroup(LEARNING_GROUP)
    .addOption(
      new Option(
        '--encoding <domain>',
        `what the numbers of a code may be: ${encodings.map(({ words }) => words.help).join(', ')}`,
      )
        .choices(encodingNames)
        .default(encodingNames[0]),
    )
    .addOption(
      new Option(
        '--algorithm <name>',
        "fast, or Algorithm 1 with the paper's settings: paper as in its author's program, paper-text " +
          "as in the paper's text",
      )
        .choices(['fast', 'paper', 'paper-text'])
        .default('fast'),
    )
    .addOption(lossOption())
    .option('--epochs <count>', 'passes over the rows (default: enough for about 2000 steps)', whole(1))
    .option(
      '--time <seconds>',
      'finish within about this many seconds, proofs of codes included; with --resume, counted from the new start',
      positive,
    )
    .option(
      '--min-improvement <share>',
      'stop when an epoch lowers the loss by less than this share',
      notNegative,
    )
    .option('--no-bias', 'leave out the bias unit, which learns how often each column is 1')
    .option('--seed <k>', 'fixes everything random: the same seed gives the same model', whole(0), 1)
    .option('--low-memory', 'find codes again in each epoch instead of keeping them')
    .addOption(threadsOption());
}

/**
 * The default number of neighbours: more gained nothing on the tables tried (docs/notes/hidden-entries.md).
 */
export const NEIGHBOURS = 16;

const LEARNING_GROUP = 'Learning:';

const lossOption = () =>
  new Option(
    '--loss <name>',
    'cross-entropy, squared, hamming, "cost:A,B" (cross-entropy in which false ones cost A times and false zeros B times ' +
      'as much), or "cost-weighted(hamming, falseOne=A, falseZero=B)"',
  )
    .argParser(parseLoss)
    .default(lossByName('cross-entropy'), 'cross-entropy');

function parseLoss(text: string): Loss {
  try {
    return lossByName(text);
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}

/** The library's options for them. Options that were not given are left to the library's defaults. */
export function fitOptions(options: TrainingOptions, H: number): FitOptions {
  const { encoding, algorithm, loss, l1, epochs, minImprovement, seed } = options;
  return {
    H,
    encoding,
    algorithm,
    loss,
    l1,
    epochs,
    minImprovement,
    seed,
    // Without --no-bias, the algorithm decides whether there is a bias unit.
    ...(options.bias ? {} : { bias: false }),
    timeBudget: options.time,
    ...(options.lowMemory && { codes: 'recompute' }),
  };
}

/** Refuses more units than fit in memory or than the rows can fill, before any work is done. */
export function checkUnits(
  sizes: readonly number[],
  table: { readonly V: number; readonly n: number },
): void {
  try {
    for (const H of sizes) checkHidden('codes', H, table);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

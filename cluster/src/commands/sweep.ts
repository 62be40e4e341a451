import type { Command } from 'commander';
import type { Io } from '../io.ts';
import { sweepTable } from '../jobs/sweep.ts';
import { listOf, notNegative, whole } from './parse.ts';
import { addPlaces, type Places, withTable } from './places.ts';

interface Options extends Places {
  readonly hidden: readonly number[];
  readonly ridge?: readonly number[];
  readonly sampleRows?: number;
  readonly seed?: number;
}

export function addSweep(program: Command, io: Io): void {
  addPlaces(
    program
      .command('sweep')
      .summary('try sizes and ridges')
      .description(
        'Learns one model per size and ridge from the same sample of the rows, each on one worker, and measures it on held-out ' +
          'rows. Prints one JSON object per model. Choose by the loss of hidden entries: the loss of whole rows falls with ' +
          'every additional unit.',
      )
      .argument('<manifest>', 'a manifest written by `pcae-cluster shard`'),
  )
    .requiredOption('-H, --hidden <n,...>', 'sizes to try', listOf(whole))
    .option('--ridge <x,...>', 'ridges to try (default: the one that train uses)', listOf(notNegative))
    .option('--sample-rows <n>', 'rows of the sample, a tenth of which is held out (default: 20000)', whole)
    .option('--seed <k>', 'seed of all random choices (default: 1)', whole)
    .action(async (manifestPath: string, options: Options) => {
      const { hidden: Hs, ridge: ridges, sampleRows, seed } = options;
      await withTable(manifestPath, options, io, 'sweep', async (table, crew) => {
        for (const trial of await sweepTable(table, { Hs, ridges, sampleRows, seed }, crew))
          io.out(`${JSON.stringify(trial)}\n`);
      });
    });
}

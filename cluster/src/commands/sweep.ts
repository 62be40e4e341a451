import type { Command } from 'commander';
import type { Io } from '../io.ts';
import { sweepTable } from '../jobs/sweep.ts';
import { listOf, notNegative, whole } from './parse.ts';
import { addPlaces, openCrew, openManifest, type Places } from './places.ts';

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
        'Learns a model for each size and ridge from the same sample of the rows, one worker per model, and measures each on rows ' +
          'held out: one JSON object per model. Choose by the loss of hidden entries: that of whole rows falls with every unit.',
      )
      .argument('<manifest>', 'what `pcae-cluster shard` has written'),
  )
    .requiredOption('-H, --hidden <n,...>', 'sizes to try', listOf(whole))
    .option('--ridge <x,...>', 'ridges to try (default: the one that train uses)', listOf(notNegative))
    .option('--sample-rows <n>', 'rows to learn from and to measure on (default: 20000)', whole)
    .option('--seed <k>', 'fixes everything random (default: 1)', whole)
    .action(async (manifestPath: string, options: Options) => {
      const { hidden: Hs, ridge: ridges, sampleRows, seed } = options;
      const crew = await openCrew(options, io, 'sweep');
      try {
        const table = await openManifest(manifestPath, crew);
        for (const trial of await sweepTable(table, { Hs, ridges, sampleRows, seed }, crew))
          io.out(`${JSON.stringify(trial)}\n`);
      } finally {
        await crew.close();
      }
    });
}

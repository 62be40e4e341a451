import type { Command } from 'commander';
import { PCAE } from 'pc-ae';
import { loadModel } from 'pc-ae/node';
import type { Io } from '../io.ts';
import { imputeTable } from '../jobs/impute.ts';
import { writeNpy } from '../npy.ts';
import { notNegative } from './parse.ts';
import { addPlaces, type Places, withTable } from './places.ts';

interface Options extends Places {
  readonly output: string;
  readonly shrink?: number;
  readonly force?: boolean;
}

export function addImpute(program: Command, io: Io): void {
  addPlaces(
    program
      .command('impute')
      .summary('fill in unknown entries')
      .description(
        'Writes all rows with their unknown entries filled in: numbers x in [-1, 1], where (1 + x) / 2 is the probability of a ' +
          'one. Known entries do not change.',
      )
      .argument('<model>', 'a model file')
      .argument('<manifest>', 'a manifest written by `pcae-cluster shard`'),
  )
    .requiredOption('-o, --output <rows>', 'the .npy file to write, rows x columns')
    .option(
      '--shrink <x>',
      'how strongly codes are pulled towards 0 (default: what predicts hidden entries of the first shard best)',
      notNegative,
    )
    .option('--force', 'overwrite the rows')
    .action(async (modelPath: string, manifestPath: string, options: Options) => {
      const model = await loadModel(modelPath, { as: PCAE });
      const { output, shrink, force } = options;
      await withTable(manifestPath, options, io, 'impute', async (table, crew) => {
        const { n } = table.manifest;
        await writeNpy(output, [n, model.V], imputeTable(table, model, crew, { shrink }), { force });
        io.out(`${output}: ${n} rows of ${model.V}, filled in\n`);
      });
    });
}

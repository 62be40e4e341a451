import type { Command } from 'commander';
import { PCAE } from 'pc-ae';
import { atomicFile, loadModel } from 'pc-ae/node';
import type { Io } from '../io.ts';
import { imputeTable } from '../jobs/impute.ts';
import { npyHeader } from '../npy.ts';
import { notNegative } from './parse.ts';
import { addPlaces, openCrew, openManifest, type Places } from './places.ts';

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
      const crew = await openCrew(options, io, 'impute');
      try {
        const table = await openManifest(manifestPath, crew);
        const { n } = table.manifest;
        const file = await atomicFile(options.output, { force: options.force });
        try {
          await file.append(npyHeader(n, model.V));
          for await (const values of imputeTable(table, model, crew, { shrink: options.shrink }))
            await file.append(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
        } catch (error) {
          await file.abort();
          throw error;
        }
        await file.commit();
        io.out(`${options.output}: ${n} rows of ${model.V}, filled in\n`);
      } finally {
        await crew.close();
      }
    });
}

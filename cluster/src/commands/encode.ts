import type { Command } from 'commander';
import { PCAE } from 'pc-ae';
import { atomicFile, loadModel } from 'pc-ae/node';
import type { Io } from '../io.ts';
import { encodeTable } from '../jobs/encode.ts';
import { npyHeader } from '../npy.ts';
import { addPlaces, openCrew, openManifest, type Places } from './places.ts';

interface Options extends Places {
  readonly output: string;
  readonly tolerance: string;
  readonly force?: boolean;
}

export function addEncode(program: Command, io: Io): void {
  addPlaces(
    program
      .command('encode')
      .summary('find the codes of all rows of a table')
      .description(
        'Finds the code of every row, with the help of all workers. The output is the same as on one machine.',
      )
      .argument('<model>', 'a model file')
      .argument('<manifest>', 'a manifest written by `pcae-cluster shard`'),
  )
    .requiredOption('-o, --output <codes>', 'the .npy file to write, rows x units')
    .option('--tolerance <nats>', 'each code is proven to be this close to its optimum', '0.01')
    .option('--force', 'overwrite the codes')
    .action(async (modelPath: string, manifestPath: string, options: Options) => {
      const model = await loadModel(modelPath, { as: PCAE });
      const crew = await openCrew(options, io, 'encode');
      try {
        const table = await openManifest(manifestPath, crew);
        const file = await atomicFile(options.output, { force: options.force });
        try {
          await file.append(npyHeader(table.manifest.n, model.H));
          for await (const { codes } of encodeTable(table, model, crew, {
            tolerance: Number(options.tolerance),
          }))
            await file.append(new Uint8Array(codes.buffer, codes.byteOffset, codes.byteLength));
        } catch (error) {
          await file.abort();
          throw error;
        }
        await file.commit();
        io.out(`${options.output}: codes of ${table.manifest.n} rows, ${model.H} units\n`);
      } finally {
        await crew.close();
      }
    });
}

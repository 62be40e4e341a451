import type { Command } from 'commander';
import { PCAE } from 'pc-ae';
import { loadModel } from 'pc-ae/node';
import type { Io } from '../io.ts';
import { encodeTable } from '../jobs/encode.ts';
import { writeNpy } from '../npy.ts';
import { positive } from './parse.ts';
import { addPlaces, type Places, withTable } from './places.ts';

interface Options extends Places {
  readonly output: string;
  readonly tolerance: number;
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
    .option('--tolerance <nats>', 'each code is proven to be this close to its optimum', positive, 0.01)
    .option('--force', 'overwrite the codes')
    .action(async (modelPath: string, manifestPath: string, options: Options) => {
      const model = await loadModel(modelPath, { as: PCAE });
      const { output, force } = options;
      await withTable(manifestPath, options, io, 'encode', async (table, crew) => {
        const { n } = table.manifest;
        async function* codes() {
          const how = { tolerance: options.tolerance };
          for await (const shard of encodeTable(table, model, crew, how)) yield shard.codes;
        }
        await writeNpy(output, [n, model.H], codes(), { force });
        io.out(`${output}: codes of ${n} rows, ${model.H} units\n`);
      });
    });
}

import { type Command, Option } from 'commander';
import { saveModel } from 'pc-ae/node';
import type { Io } from '../io.ts';
import { trainTable } from '../jobs/train.ts';
import { whole } from './parse.ts';
import { addPlaces, type Places, withTable } from './places.ts';

interface Options extends Places {
  readonly hidden: number;
  readonly output: string;
  readonly encoding: 'box' | 'real';
  readonly rounds?: number;
  readonly sampleRows?: number;
  readonly sampleEpochs?: number;
  readonly seed?: number;
  readonly force?: boolean;
}

export function addTrain(program: Command, io: Io): void {
  addPlaces(
    program
      .command('train')
      .summary('learn a model of a table')
      .description(
        'Learns in rounds, starting from a model of a sample of the rows. The model is the same, bit for bit, for any number of ' +
          'workers. To continue after an interruption, run the same command again.',
      )
      .argument('<manifest>', 'a manifest written by `pcae-cluster shard`'),
  )
    .requiredOption('-H, --hidden <n>', 'numbers in a code', whole)
    .requiredOption('-o, --output <model>', 'the model file to write')
    .addOption(new Option('--encoding <set>', 'where codes live').choices(['box', 'real']).default('box'))
    .option('--rounds <n>', 'rounds over all shards (default: 10)', whole)
    .option('--sample-rows <n>', 'rows of that sample (default: 20000)', whole)
    .option('--sample-epochs <n>', 'passes over that sample (default: as many as `pcae train`)', whole)
    .option('--seed <k>', 'seed of all random choices (default: 1)', whole)
    .option('--force', 'overwrite the model')
    .action(async (manifestPath: string, options: Options) => {
      const { hidden: H, output, encoding, rounds, sampleRows, sampleEpochs, seed, force } = options;
      const onRound = (round: number, loss: number) =>
        io.err(`round ${round}: ${loss.toFixed(4)} nats per row\n`);
      const learning = { H, encoding, rounds, sampleRows, sampleEpochs, seed, onRound };
      await withTable(manifestPath, options, io, 'train', async (table, crew) => {
        const model = await trainTable(table, learning, crew);
        await saveModel(output, model, { force });
        const { loss, meanGap } = model.training;
        io.out(`${output}: ${loss.toFixed(4)} nats per row, codes proven to ${meanGap?.toExponential(1)}\n`);
      });
    });
}

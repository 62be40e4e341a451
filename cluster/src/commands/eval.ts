import type { Command } from 'commander';
import { PCAE } from 'pc-ae';
import { loadModel } from 'pc-ae/node';
import type { Io } from '../io.ts';
import { evaluateTable } from '../jobs/evaluate.ts';
import { positive } from './parse.ts';
import { addPlaces, type Places, withTable } from './places.ts';

export function addEval(program: Command, io: Io): void {
  addPlaces(
    program
      .command('eval')
      .summary('measure how well a model reconstructs a table')
      .description('Prints the mean loss of all rows, each at its own optimal code, as one JSON object.')
      .argument('<model>', 'a model file')
      .argument('<manifest>', 'a manifest written by `pcae-cluster shard`'),
  )
    .option('--tolerance <nats>', 'each code is proven to be this close to its optimum', positive, 0.01)
    .action(async (modelPath: string, manifestPath: string, options: Places & { tolerance: number }) => {
      const model = await loadModel(modelPath, { as: PCAE });
      await withTable(manifestPath, options, io, 'eval', async (table, crew) => {
        const report = await evaluateTable(table, model, crew, { tolerance: options.tolerance });
        io.out(`${JSON.stringify(report)}\n`);
      });
    });
}

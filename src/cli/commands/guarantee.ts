import type { Command } from 'commander';
import { loadModel } from '../../node/model-files.ts';
import { document } from '../document.ts';
import type { Io } from '../io.ts';
import { listOf, notNegative } from '../parse.ts';
import { Session } from '../session.ts';
import { list, number, table, unitOf } from '../text.ts';

export function addGuarantee(program: Command, io: Io): void {
  const command = program
    .command('guarantee')
    .summary('the worst-case loss that a model promises')
    .description(
      'The largest mean loss on any data whose correlations with the codes are those that the model remembers, or ' +
        'differ from them by at most the drift in every entry.',
    )
    .argument('<model>', 'a model file')
    .option(
      '--drift <eps,...>',
      'how far correlations may be from the remembered ones',
      listOf(notNegative),
      [0],
    )
    .action(async (modelPath: string, options: { readonly drift: readonly number[] }) => {
      const session = new Session(command, io);
      const model = await loadModel(modelPath);
      const { V } = model;
      const bounds = options.drift.map((drift) => {
        const { bound, driftCost } = model.guarantee(drift);
        return { drift, bound, boundPerBit: bound / V, driftCost };
      });
      const unit = unitOf(model.reconstructionLoss);
      const { loss } = model.training;
      await session.result(
        { loss, unit, bounds },
        `${list([['training loss', `${number(loss)} ${unit} per example`]])}\n${table([
          ['drift', `bound (${unit})`, 'per bit', 'cost of the drift'],
          ...bounds.map(({ drift, bound, boundPerBit, driftCost }) => [
            String(drift),
            bound,
            boundPerBit,
            driftCost,
          ]),
        ])}`,
      );
    });
  document(command, {
    examples: [
      ['pcae guarantee model.safetensors', 'for the correlations of the training data'],
      ['pcae guarantee model.safetensors --drift 0.001,0.01', 'for correlations that drift'],
    ],
    json: {
      loss: 'mean training loss per row',
      unit: 'what losses and bounds are counted in, per row',
      bounds: '[{drift, bound, boundPerBit, driftCost}]: one for each drift asked for',
    },
  });
}

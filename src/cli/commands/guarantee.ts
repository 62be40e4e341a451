import type { Command } from 'commander';
import { document } from '../document.ts';
import type { Io } from '../io.ts';
import { openModel } from '../model.ts';
import { listOf, notNegative, whole } from '../parse.ts';
import { Session } from '../session.ts';
import { list, number, spread, table, unitOf } from '../text.ts';

export function addGuarantee(program: Command, io: Io): void {
  const command = program
    .command('guarantee')
    .description(
      'The largest mean loss on any data whose correlations with the codes are those that the model remembers, or ' +
        'differ from them by at most the drift in every entry. A model that was learned with --l1 is also measured ' +
        'under the drift that it was learned for.',
    )
    .argument('<model>', 'a model file')
    .option(
      '--drift <eps,...>',
      'how far correlations may be from the remembered ones',
      listOf(notNegative),
      [0],
    )
    .option('--dearest <count>', 'columns to show for each drift: those that it costs most', whole(0), 0)
    .action(async (modelPath: string, options: GuaranteeOptions) => {
      const session = new Session(command, io);
      const model = await openModel(modelPath);
      const { V } = model;
      const { loss, l1 } = model.training;
      const learned = typeof l1 !== 'number' || l1 > 0;
      const bounds = [...options.drift, ...(learned ? (['l1'] as const) : [])].map((drift) => {
        const { bound, driftCost, driftCosts } = model.guarantee(drift === 'l1' ? l1 : drift);
        const dearest = dearestColumns(driftCosts, model.columns, options.dearest);
        return { drift, bound, boundPerBit: bound / V, driftCost, dearest };
      });
      const unit = unitOf(model.reconstructionLoss);
      await session.result(
        { loss, unit, bounds },
        `${list([['training loss', `${number(loss)} ${unit} per example`]])}\n${table([
          ['drift', `bound (${unit})`, 'per bit', 'cost of the drift'],
          ...bounds.map(({ drift, bound, boundPerBit, driftCost }) => [
            drift === 'l1' ? `as learned (${spread(l1)})` : String(drift),
            bound,
            boundPerBit,
            driftCost,
          ]),
        ])}${bounds.map(dearestLines).join('')}`,
      );
    });
  document(command, {
    examples: [
      ['pcae guarantee model.safetensors', 'for the correlations of the training data'],
      ['pcae guarantee model.safetensors --drift 0.001,0.01', 'for correlations that drift'],
      ['pcae guarantee model.safetensors --drift 0.01 --dearest 5', 'and which columns that costs most'],
    ],
    json: {
      loss: 'mean training loss per row',
      unit: 'what losses and bounds are counted in, per row',
      bounds:
        '[{drift, bound, boundPerBit, driftCost, dearest: [{column, cost}]}]: one for each drift asked for, and one ' +
        'with drift l1 for the relaxation that the model was learned with',
    },
  });
}

interface GuaranteeOptions {
  readonly drift: readonly number[];
  readonly dearest: number;
}

interface Dearest {
  readonly column: string;
  readonly cost: number;
}

/** The columns whose share of the drift's cost is the largest. */
function dearestColumns(
  costs: Float64Array,
  names: readonly string[] | undefined,
  count: number,
): readonly Dearest[] {
  return Array.from(costs, (cost, v) => ({ column: names?.[v] ?? String(v), cost }))
    .sort((a, b) => b.cost - a.cost)
    .slice(0, count)
    .filter(({ cost }) => cost > 0);
}

function dearestLines({ drift, dearest }: { drift: number | 'l1'; dearest: readonly Dearest[] }): string {
  if (dearest.length === 0) return '';
  const lines = dearest.map(({ column, cost }) => [column, cost]);
  const heading = `cost of a drift ${drift === 'l1' ? 'as learned' : `of ${drift}`}, dearest columns first`;
  return `\n${heading}\n${table(lines)}`;
}

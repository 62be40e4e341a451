import type { Command } from 'commander';
import type { HowRead } from '../../formats/options.ts';
import { shareOfZeros } from '../../model/sparsity.ts';
import { loadModel } from '../../node/model-files.ts';
import { greyness } from '../data.ts';
import { document } from '../document.ts';
import type { Io } from '../io.ts';
import { whole } from '../parse.ts';
import { Session } from '../session.ts';
import { type Feature, strongestFeatures } from '../strongest.ts';
import { list, number, spread, unitOf } from '../text.ts';

export function addInspect(program: Command, io: Io): void {
  const command = program
    .command('inspect')
    .summary('what a model is, and what its units stand for')
    .description(
      'Size, options and losses of a model, and for each hidden unit, strongest first, the columns that it switches ' +
        'on (+) and off (-) most.',
    )
    .argument('<model>', 'a model file')
    .option('--features <count>', 'columns to show for each unit, either way', whole(0), 4)
    .action(async (modelPath: string, options: { readonly features: number }) => {
      const session = new Session(command, io);
      const model = await loadModel(modelPath);
      const { V, H, encoding, bias, radius, image, columns, reading, training } = model;
      const { history, ...record } = training;
      const loss = model.reconstructionLoss.name;
      const unit = unitOf(model.reconstructionLoss);
      const units = strongestFeatures(model, options.features);
      const parameters = model.W.length;
      const sparsity = { zeros: shareOfZeros(model.W), chosen: model.mask && 1 - shareOfZeros(model.mask) };
      await session.result(
        {
          ...{ V, H, encoding, bias, radius, loss, parameters, ...sparsity },
          ...{ image, columns, reading, training: record, units },
        },
        list([
          ['columns', `${V}${image ? ` (pictures of ${image.width} x ${image.height})` : ''}`],
          ['hidden units', `${H}${bias ? ' and a bias' : ''}, ${encoding} codes`],
          ['loss', loss],
          ['weights', weightsLine(parameters, sparsity)],
          [
            'trained on',
            `${record.n} rows, ${record.epochs} epochs (${record.algorithm}), ${number(record.seconds)} s`,
          ],
          ...(reading ? [['rows read as', readingLine(reading)] as const] : []),
          ['options', `seed ${record.seed}, ridge ${number(record.ridge)}, l1 ${spread(record.l1)}`],
          ['ended by', record.stopped + (record.converged ? '' : ' (the loss was still falling)')],
          ['training loss', `${number(record.loss)} ${unit} per example`],
          ['worst-case bound', `${number(model.guarantee().bound)} ${unit} per example`],
        ]) + unitLines(units),
      );
    });
  document(command, {
    examples: [['pcae inspect model.safetensors --features 6', 'six columns either way for each unit']],
    json: {
      V: 'columns',
      H: 'hidden units',
      encoding: 'box or real',
      bias: 'whether there is a bias unit',
      radius: 'codes lie within [-radius, radius]',
      loss: 'the reconstruction loss',
      parameters: 'numbers in W',
      zeros: 'share of them that are exactly zero',
      chosen:
        'share of the pairs of column and unit whose correlations are used, where it is not all of them',
      image: '{height, width}, where a row is a picture',
      columns: 'names of the columns, where the data had them',
      reading:
        '{values, binarize, seed, kind}: how the training rows were read, where they came from a file; new rows are read alike',
      training: '{algorithm, n, loss, gap, seed, ridge, l1, epochs, seconds, stopped, converged}',
      units: '[{unit, strength, on: [{column, weight}], off: [...]}], strongest features of each unit',
    },
  });
}

function weightsLine(count: number, { zeros, chosen }: { zeros: number; chosen?: number }): string {
  const percent = (share: number) => `${number(100 * share)}%`;
  return [
    number(count),
    ...(zeros > 0 ? [`${percent(zeros)} of them zero`] : []),
    ...(chosen === undefined ? [] : [`${percent(chosen)} of the correlations chosen`]),
  ].join(', ');
}

function unitLines(units: ReturnType<typeof strongestFeatures>): string {
  if (units.every(({ on, off }) => on.length + off.length === 0)) return '';
  const words = (sign: string, features: readonly Feature[]) =>
    features.map(({ column }) => `${sign}${column}`);
  const lines = units.map(({ unit, strength, on, off }): [string, string] => [
    `unit ${unit}`,
    `${number(strength).padStart(7)}  ${[...words('+', on), ...words('-', off)].join(' ')}`,
  ]);
  return `\nunits: strength, columns switched on (+) and off (-)\n${list(lines)}`;
}

function readingLine(reading: HowRead): string {
  const grey = greyness(reading);
  return reading.values + (grey ? `, grey values ${grey}` : '');
}

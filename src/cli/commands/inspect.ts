import type { Command } from 'commander';
import type { TableSchema } from '../../rows/schema.ts';
import { greyness } from '../data.ts';
import { document } from '../document.ts';
import type { Io } from '../io.ts';
import { openAnyModel } from '../model.ts';
import { modelFacts } from '../model-facts.ts';
import { whole } from '../parse.ts';
import { Session } from '../session.ts';
import { type Feature, strongestFeatures } from '../strongest.ts';
import { list, number } from '../text.ts';

export function addInspect(program: Command, io: Io): void {
  const command = program
    .command('inspect')
    .description(
      'Size, options and losses of a model, and for each hidden unit the columns that it switches on (+) and off (-) ' +
        'most, strongest first. Of a stack, these are the units of the layer beside the columns.',
    )
    .argument('<model>', 'a model file')
    .option('--features <count>', 'columns to show for each unit, either way', whole(0), 4)
    .action(async (modelPath: string, options: { readonly features: number }) => {
      const session = new Session(command, io);
      const model = await openAnyModel(modelPath);
      const { V, H, encoding, image, columns, schema } = model;
      const loss = model.reconstructionLoss.name;
      const facts = modelFacts(model);
      const units = strongestFeatures({ V, columns, ...facts.lowest }, options.features);
      await session.result(
        { ...{ V, H, encoding, loss, ...facts.json }, ...{ image, columns, schema, units } },
        list([
          ['columns', `${V}${image ? ` (pictures of ${image.width} x ${image.height})` : ''}`],
          ['hidden units', facts.units],
          ['loss', loss],
          ['weights', facts.weights],
          ['trained on', facts.trained],
          ...(schema ? [['rows read as', readingLine(schema)] as const] : []),
          ...facts.learning,
        ]) + unitLines(units),
      );
    });
  document(command, {
    examples: [['pcae inspect model.safetensors --features 6', 'six columns either way for each unit']],
    json: {
      V: 'columns',
      H: 'numbers in a code',
      layers: 'of a stack: the units of each layer, from the one beside the columns to the codes',
      encoding: 'box, real, bits, nonnegative, simplex or ball',
      bias: 'whether there is a bias unit',
      radius: 'codes lie within [-radius, radius]',
      loss: 'the reconstruction loss',
      parameters: 'numbers in W, or in those of all layers',
      zeros: 'share of them that are exactly zero',
      chosen:
        'share of the pairs of column and unit whose correlations are used, where it is not all of them',
      image: '{height, width}, where a row is a picture',
      columns: 'names of the columns, where the data had them',
      schema:
        '{values, binarize, seed, kind}: how the training rows were read, where they came from a file; new rows are read alike',
      training:
        '{algorithm, n, loss, gap, seed, ridge, l1, epochs, seconds, stopped, converged}; of a stack ' +
        '{n, loss, seed, ridge, seconds, rounds, coupling}',
      units:
        '[{unit, length, on: [{column, weight}], off: [...]}]: for each unit the length of its weights, comparable where ' +
        'codes are real (box codes scale each unit on its own), and its strongest features; of a stack, the units beside the columns',
    },
  });
}

function unitLines(units: ReturnType<typeof strongestFeatures>): string {
  if (units.every(({ on, off }) => on.length + off.length === 0)) return '';
  const words = (sign: string, features: readonly Feature[]) =>
    features.map(({ column }) => `${sign}${column}`);
  const lines = units.map(({ unit, length, on, off }): [string, string] => [
    `unit ${unit}`,
    `${number(length).padStart(7)}  ${[...words('+', on), ...words('-', off)].join(' ')}`,
  ]);
  return `\nunits: length of the weights, columns switched on (+) and off (-)\n${list(lines)}`;
}

function readingLine(schema: TableSchema): string {
  const grey = greyness(schema);
  return schema.values + (grey ? `, grey values ${grey}` : '');
}

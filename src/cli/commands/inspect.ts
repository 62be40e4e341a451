import type { Command } from 'commander';
import type { PCAE } from '../../model/model.ts';
import { Stack } from '../../model/stack.ts';
import { type Feature, strongestFeatures } from '../../model/strongest.ts';
import { counted } from '../../rows/counted.ts';
import type { TableSchema } from '../../rows/schema.ts';
import type { VectorCodes } from '../../vectors/codes.ts';
import { greyness } from '../data.ts';
import { document } from '../document.ts';
import { UsageError } from '../errors.ts';
import type { Io } from '../io.ts';
import { openAnyModel, vectorCodesIn } from '../model.ts';
import { listOf, notNegative, whole } from '../parse.ts';
import { confidenceOption, PROMISE_FIELDS, promisesOf, promiseText } from '../promises.ts';
import { Session } from '../session.ts';
import { list, number, spread, table, unitOf } from '../text.ts';
import { modelFacts } from './inspect-facts.ts';

interface InspectOptions {
  readonly features: number;
  readonly drift?: readonly number[];
  readonly dearest: number;
  readonly confidence: number;
}

export function addInspect(program: Command, io: Io): void {
  const command = program
    .command('inspect')
    .description(
      'Shows the size, options and losses of a model, what it promises for new rows if it was ' +
        'calibrated, and for each hidden unit the columns that it switches on (+) and off (-) most. ' +
        'With --drift: the largest mean loss on any data whose correlations with the codes are that ' +
        'close to the remembered ones. For a stack, the units are those of the layer next to the ' +
        'columns. For a model of vectors: its metric, and how well its codes find neighbours.',
    )
    .argument('<model>', 'a model file')
    .option('--features <count>', 'columns to show per unit and direction', whole(0), 4)
    .option(
      '--drift <eps,...>',
      'show the worst case if correlations differ by this much from the remembered ones',
      listOf(notNegative),
    )
    .addOption(confidenceOption())
    .option('--dearest <count>', 'with --drift: how many of the most affected columns to show', whole(0), 0)
    .action(async (modelPath: string, options: InspectOptions) => {
      const session = new Session(command, io);
      const vectors = await vectorCodesIn(modelPath);
      if (vectors) return showVectors(vectors, session);
      const model = await openAnyModel(modelPath);
      const { V, H, encoding, image, columns, schema } = model;
      const lossName = model.reconstructionLoss.name;
      const unit = unitOf(model.reconstructionLoss);
      const facts = modelFacts(model);
      const bounds = boundsOf(model, options);
      const { confidence } = options;
      const promises = model instanceof Stack ? undefined : promisesOf(model, confidence);
      const units = strongestFeatures({ V, columns, ...facts.lowest }, options.features);
      await session.result(
        {
          V,
          H,
          encoding,
          lossName,
          unit,
          ...facts.json,
          promises,
          bounds: bounds?.map(({ how: _, ...bound }) => bound),
          image,
          columns,
          schema,
          units,
        },
        list([
          ['columns', `${V}${image ? ` (pictures of ${image.width} x ${image.height})` : ''}`],
          ['hidden units', facts.units],
          ['loss', lossName],
          ['weights', facts.weights],
          ['trained on', facts.trained],
          ['rows read as', schema && readingLine(schema)],
          ...facts.learning,
        ]) +
          (model instanceof Stack ? '' : promiseText(model, confidence)) +
          boundLines(bounds, unit) +
          unitLines(units),
      );
    });
  document(command, {
    examples: {
      'pcae inspect model.safetensors --features 6': 'six columns either way for each unit',
      'pcae inspect model.safetensors --confidence 0.999': 'what a calibrated model promises, almost surely',
      'pcae inspect model.safetensors --drift 0.001,0.01': 'the worst case when correlations drift',
      'pcae inspect model.safetensors --drift 0.01 --dearest 5': 'and which columns that costs most',
    },
    json: {
      V: 'columns',
      H: 'numbers in a code',
      layers: 'of a stack: the number of units of each layer, from the one beside the columns to the codes',
      encoding: 'box, real, bits, nonnegative, simplex or ball',
      bias: 'whether there is a bias unit',
      radius: 'codes lie within [-radius, radius]',
      lossName: 'the reconstruction loss',
      unit: 'what losses and bounds are counted in, per row',
      parameters: 'numbers in W, or in those of all layers',
      zeros: 'share of the weights that are exactly zero',
      chosen: 'share of the correlations (pairs of a column and a unit) that are used, if not all are',
      promises: PROMISE_FIELDS,
      bounds:
        '[{drift, bound, boundPerBit, driftCost, dearest: [{column, cost}]}]: the worst case for each drift of --drift (without ' +
        'it, for 0), and, where `drift` is l1, for the one that the model was learned with; absent for a stack',
      image: '{height, width}, if a row is a picture',
      columns: 'names of the columns, if the data had them',
      schema:
        '{values, binarize, seed, kind}: how the training rows were read, if they came from a file; new rows are read in the same way',
      training:
        '{algorithm, n, loss, meanGap, weightGap, slackGap, seed, ridge, ridgeChosen, l1, epochs, seconds, stopped, converged}; of a stack ' +
        '{n, loss, seed, ridge, seconds, rounds, coupling}',
      units:
        '[{unit, length, on: [{column, weight}], off: [...]}]: for each unit the length of its weights, and the columns that it switches ' +
        'on and off most; lengths can be compared only if codes are real, because box codes scale each unit on its own; of a stack, the ' +
        'units beside the columns',
    },
  });
}

/** What a model of vectors is. */
function showVectors({ V, H, metric, temperature, training }: VectorCodes, session: Session): Promise<void> {
  const { n, error, recall, rounds, seed, seconds } = training;
  return session.result(
    { V, H, metric, temperature, training },
    list([
      ['vectors', `of ${V} numbers, compared by ${metric}`],
      ['codes', `${H} bits: one of 16 words for each of ${H / 4} half bytes`],
      [
        'trained on',
        `${counted(n, 'vector')}, ${counted(rounds, 'round')} in ${number(seconds)} s, seed ${seed}`,
      ],
      ['error', `${number(error)} of the variance is left by the codes`],
      [
        'recall',
        `${number(recall)} of the ten nearest of vectors held out, at temperature ${number(temperature)}`,
      ],
    ]),
  );
}

interface Bound {
  readonly drift: number | 'l1';
  /** The drift in words. */
  readonly how: string;
  readonly bound: number;
  readonly boundPerBit: number;
  readonly driftCost: number;
  readonly dearest: readonly { readonly column: string; readonly cost: number }[];
}

/** The worst case under each drift asked for, and under the relaxation that the model was learned with. */
function boundsOf(model: PCAE | Stack, { drift: asked, dearest }: InspectOptions): Bound[] | undefined {
  if (model instanceof Stack) {
    if (asked) throw new UsageError('--drift is for models of one layer: a stack promises nothing');
    return undefined;
  }
  const { V, columns } = model;
  const { l1 } = model.training;
  const learned = typeof l1 !== 'number' || l1 > 0;
  return [...(asked ?? [0]), ...(learned ? (['l1'] as const) : [])].map((drift) => {
    const { bound, driftCost, driftCosts } = model.guarantee(drift === 'l1' ? l1 : drift);
    const how = drift === 'l1' ? `as learned (${spread(l1)})` : String(drift);
    const dear = dearestColumns(driftCosts, columns, dearest);
    return { drift, how, bound, boundPerBit: bound / V, driftCost, dearest: dear };
  });
}

/** The columns whose share of the drift's cost is the largest. */
function dearestColumns(
  costs: Float64Array,
  names: readonly string[] | undefined,
  count: number,
): Bound['dearest'] {
  return Array.from(costs, (cost, v) => ({ column: names?.[v] ?? String(v), cost }))
    .sort((a, b) => b.cost - a.cost)
    .slice(0, count)
    .filter(({ cost }) => cost > 0);
}

/** A table of bounds. The one without a drift is the training loss. */
function boundLines(bounds: readonly Bound[] | undefined, unit: string): string {
  if (!bounds || bounds.every(({ drift }) => drift === 0)) return '';
  const lines = table([
    ['drift', `bound (${unit})`, 'per bit', 'cost of the drift'],
    ...bounds.map(({ how, bound, boundPerBit, driftCost }) => [how, bound, boundPerBit, driftCost]),
  ]);
  const dearest = bounds
    .filter((bound) => bound.dearest.length > 0)
    .map(
      ({ how, dearest }) =>
        `\ndrift ${how}: the columns that it costs most\n${table(dearest.map(({ column, cost }) => [column, cost]))}`,
    );
  return `\nworst case on data whose correlations drift\n${lines}${dearest.join('')}`;
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

import { encodingOf } from '../encodings/by-name.ts';
import type { OpenedSource } from '../formats/options.ts';
import type { PCAE } from '../model/model.ts';
import { shareOfZeros, unusedUnits } from '../model/sparsity.ts';
import { DATA_FIELDS, describeData } from './data.ts';
import { PROMISE_FIELDS, promiseLines, promisesOf } from './promises.ts';
import { codesInWords, convexNote, counted, list, number, unitOf } from './text.ts';

/** What `train` reports about its model, as fields of JSON and as text. */
export const TRAIN_FIELDS = {
  model: 'the file written',
  n: 'rows learned from; those held out of them are not counted',
  V: 'columns',
  H: 'numbers in a code',
  layers: 'with --layers: the units of each layer',
  encoding: 'box, real, bits, nonnegative, simplex or ball',
  lossName: 'the reconstruction loss',
  loss: 'mean training loss per row',
  lossPerColumn: 'mean training loss per row, divided by the number of columns',
  bound:
    'the worst-case loss that the remembered correlations guarantee; absent for a stack, as are gap, l1, zeros, ' +
    'weightGap, slackGap, bias, epochs, stopped and converged',
  gap:
    '{mean} of the gaps: another code could lower the loss of a training row by this at most, proven; for bits often far more than other ' +
    'bits could save',
  validation:
    'lowest loss of the validation rows, if there are any; measured while learning, when the ridge keeps codes small',
  promises: PROMISE_FIELDS,
  neighbours:
    'with --neighbours: {K, passes, entryLoss, entryLossAlone}: mean loss of hidden entries of the validation rows, with neighbours and ' +
    'by the codes alone',
  ridge: 'the ridge used',
  l1: 'how far correlations were allowed to be off, one number, or one per column',
  zeros: 'share of weights that are exactly zero',
  unused: 'units whose weights are all zero',
  weightGap:
    'other weights could be better by this at most for these codes, proven; the cost of their size (ridge or l1) is included; absent if it ' +
    'was not proven; null with --codes and --ridge 0, where no proof exists',
  slackGap:
    'other weights up to 64 could lower the worst case for the remembered correlations by this at most, proven, for codes ' +
    'whose mean square is 1; absent if it was not proven',
  residual:
    'with --codes: the largest difference of a correlation of the decoder from the data, for codes of unit deviation',
  bias: 'whether there is a bias unit',
  seed: 'the seed',
  epochs: 'passes over the rows',
  stopped: 'why learning ended: converged, epochs, time or validation',
  converged: 'whether the last epoch changed the loss by less than a thousandth',
  seconds: 'seconds of learning',
  data: DATA_FIELDS,
};

interface TrainedOptions {
  readonly output: string;
  readonly confidence: number;
}

export function trained(model: PCAE, options: TrainedOptions, source: OpenedSource): Record<string, unknown> {
  const { V, H, encoding, bias, training } = model;
  const { n, loss, meanGap, history, algorithm: _, bound: __, seen: ___, ...rest } = training;
  return {
    model: options.output,
    n,
    V,
    H,
    encoding,
    lossName: model.reconstructionLoss.name,
    loss,
    lossPerColumn: loss / V,
    bound: model.guarantee().bound,
    gap: { mean: meanGap },
    validation: bestValidation(history),
    promises: promisesOf(model, options.confidence),
    neighbours: neighboursFacts(model),
    zeros: shareOfZeros(model.W),
    unused: unusedUnits(model),
    bias,
    ...rest,
    data: describeData(source),
  };
}

/** How much neighbouring columns help, as JSON and as text. */
export function neighboursFacts({ neighbours }: PCAE): Record<string, number> | undefined {
  if (!neighbours) return undefined;
  const { K, passes, entryLoss, entryLossAlone } = neighbours;
  return { K, passes: passes.length, entryLoss, entryLossAlone };
}

export function neighboursLine(model: PCAE): [name: string, value: string][] {
  const { neighbours } = model;
  if (!neighbours) return [];
  const { K, passes, entryLoss, entryLossAlone } = neighbours;
  const unit = unitOf(model.reconstructionLoss);
  const alone = `${number(entryLossAlone)} by the codes alone`;
  if (passes.length === 0) return [['neighbours', `guess hidden entries no better: ${alone}`]];
  return [['neighbours', `${K} per column: a hidden entry costs ${number(entryLoss)} ${unit} (${alone})`]];
}

function bestValidation(history: PCAE['training']['history']): number | undefined {
  const losses = history.flatMap(({ validation }) => (validation === undefined ? [] : [validation]));
  return losses.length > 0 ? losses.reduce((a, b) => Math.min(a, b)) : undefined;
}

/** The ridge, and that it was chosen by hidden entries. */
export function ridgeWords({ ridge, ridgeChosen }: Pick<PCAE['training'], 'ridge' | 'ridgeChosen'>): string {
  return `ridge ${number(ridge)}${ridgeChosen ? ' (auto)' : ''}`;
}

export function summary(model: PCAE, options: TrainedOptions): string {
  const { training, V } = model;
  const { n, loss, meanGap, epochs, stopped, seconds, history } = training;
  const unit = unitOf(model.reconstructionLoss);
  const held = bestValidation(history);
  const zeros = shareOfZeros(model.W);
  return list([
    ['model', `${options.output}: ${counted(V, 'column')}, ${codesInWords(model)}`],
    [
      'training loss',
      `${number(loss)} ${unit} per row (${counted(n, 'row')})${convexNote(model.reconstructionLoss)}`,
    ],
    // A finished model finds better codes for the same rows.
    [
      'validation loss',
      held === undefined
        ? undefined
        : `${number(held)} ${unit} per row while learning, when the ridge keeps codes small`,
    ],
    ...promiseLines(model, options.confidence),
    [
      encodingOf(model.encoding).words.gap,
      meanGap === undefined ? undefined : `${number(meanGap)} ${unit} on average`,
    ],
    ...neighboursLine(model),
    ['zero weights', zeros === 0 ? undefined : `${number(100 * zeros)}%`],
    ['unused units', unusedLine(model)],
    [
      'learning',
      `${counted(epochs, 'epoch')}, ${number(seconds)} s, ended by ${stopped}, ${ridgeWords(training)}`,
    ],
  ]);
}

/** Units that learning left at zero: too many for the columns, or nothing in the table varies. */
function unusedLine(model: PCAE): string | undefined {
  const unused = unusedUnits(model);
  if (unused === 0) return undefined;
  if (unused === model.H) return 'all: every row is decoded alike';
  return `${unused} of ${model.H}: their numbers in codes say nothing`;
}

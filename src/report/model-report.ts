import { encodingOf } from '../encodings/by-name.ts';
import type { Engine } from '../engine/engine.ts';
import { withEngine } from '../engine/scope.ts';
import { bitConfusionFigure } from '../figures/bit-confusion.ts';
import { codeHistogramFigure } from '../figures/code-histogram.ts';
import { hiddenUnitFigure } from '../figures/hidden-units.ts';
import { map2dFigure } from '../figures/map-2d.ts';
import { formatLoss } from '../figures/numbers.ts';
import { reconstructionFigure } from '../figures/reconstructions.ts';
import { sparsityFigure } from '../figures/sparsity.ts';
import type { LossReport } from '../model/autoencoder.ts';
import type { PCAE } from '../model/model.ts';
import { hasL1 } from '../model/sparsity.ts';
import { strongestFeatures, type UnitFeatures } from '../model/strongest.ts';
import { allPromises, assumptionsOf } from '../promises/promise.ts';
import { counted } from '../rows/counted.ts';
import { entriesOf } from '../rows/entries.ts';
import { type RowsInput, readSource } from '../rows/input.ts';
import { type Rows, sliceRows } from '../rows/rows.ts';
import type { RowSource } from '../rows/source.ts';
import { learningFigure } from './learning-figure.ts';
import { type ReportPart, report, type SummaryLine } from './report.ts';
import { codesInWords, convexNote, number, spread, unitOf } from './words.ts';

export interface ModelReportOptions {
  /** The headline. */
  readonly title?: string;
  /** A sentence below it. */
  readonly lead?: string;
  /** The numbers at the top. Default: what `evaluate` measures on the rows. */
  readonly summary?: readonly SummaryLine[];
  /** The result of `evaluate` on the rows, if it is already known. */
  readonly evaluation?: LossReport;
  /** A last line, such as where the rows came from. */
  readonly footer?: Readonly<Record<string, string | number>>;
  readonly engine?: Engine;
  readonly signal?: AbortSignal;
}

/**
 * A model in one HTML page that needs nothing else: its numbers, reconstructions of the first rows, its bits,
 * every hidden unit, and how learning went. How sparse the weights are is shown if they were to be sparse.
 */
export function modelReport(model: PCAE, rows: RowsInput, options: ModelReportOptions = {}): Promise<string> {
  return withEngine(options, async (engine) => {
    const source = await readSource(rows, undefined, options.signal);
    const examples = await firstRows(source);
    const { algorithm, seed, ridge, l1, epochs } = model.training;
    const { title = 'A model and its reconstructions', lead = leadOf(model), footer } = options;
    return report({
      title,
      lead,
      summary: options.summary ?? (await measured(model, source, { ...options, engine })),
      sections: [
        ...promised(model),
        { title: 'Reconstructions', parts: await reconstructions(model, examples, engine) },
        { title: 'Hidden units', parts: hiddenUnits(model) },
        { title: 'Learning', parts: learning(model) },
      ],
      footer: {
        engine: engine.name,
        loss: model.reconstructionLoss.name,
        encoding: model.encoding,
        ...{ algorithm, seed, ridge: number(ridge), l1: spread(l1), epochs },
        ...footer,
      },
    });
  });
}

/** Rows that are counted bit by bit; the first few of them are shown. */
const EXAMPLES = 500;

async function firstRows(source: RowSource): Promise<Rows> {
  for await (const rows of source.chunks(EXAMPLES)) return sliceRows(rows, 0, Math.min(EXAMPLES, rows.n));
  throw new RangeError('modelReport: there are no rows to show');
}

function leadOf(model: PCAE): string {
  return `A model with ${codesInWords(model)} for rows of ${counted(model.V, 'column')}.`;
}

async function measured(
  model: PCAE,
  source: RowSource,
  { evaluation, engine, signal }: ModelReportOptions,
): Promise<SummaryLine[]> {
  const found = evaluation ?? (await model.evaluate(source, { engine, signal }));
  const unit = unitOf(model.reconstructionLoss);
  const note = convexNote(model.reconstructionLoss);
  const { words } = encodingOf(model.encoding);
  return [
    ['loss', number(found.loss), `${unit} per row, here${note}`],
    ...decodedLine(found, unit),
    ['loss per known bit', number(found.lossPerBit), unit],
    ['training loss', number(model.training.loss), `${unit} per row${note}`],
    [words.gap, number(found.gap.mean), `${unit} on average, ${number(found.gap.max)} at most`],
    ['wrong bits', number(found.hamming), `of ${model.V} per row`],
  ];
}

/** What reconstructions cost, where that is not the loss that codes minimise. */
function decodedLine({ decodedLoss }: LossReport, unit: string): SummaryLine[] {
  return decodedLoss === undefined
    ? []
    : [['loss of what is decoded', number(decodedLoss), `${unit} per row, here`]];
}

/** What a calibrated model promises of new rows, what that rests on, and how it was found. */
function promised(model: PCAE): { title: string; parts: ReportPart[] }[] {
  const { calibration } = model;
  if (!calibration) return [];
  const found = allPromises(model, calibration);
  const rows = found.map(({ statement, method }) => [statement, method]);
  return [
    {
      title: 'What new rows cost',
      parts: [
        { kind: 'table', columns: ['promise', 'method'], rows },
        { kind: 'text', text: `Assumed: ${assumptionsOf(found)}` },
      ],
    },
  ];
}

async function reconstructions(model: PCAE, examples: Rows, engine: Engine): Promise<ReportPart[]> {
  const { codes, losses } = await model.encode(examples, { engine });
  const decoded = await model.decode(codes, { engine });
  const originals = entriesOf(examples);
  const svg = reconstructionFigure({
    rows: [
      { label: 'original', values: originals },
      { label: 'reconstruction', values: decoded },
    ],
    V: model.V,
    image: model.image,
    range: [-1, 1],
    captions: Array.from(losses, formatLoss),
    title: 'Originals above, what their codes decode to below',
  });
  const { reconstructionLoss: loss } = model;
  const caption = `Under each example: its loss (${unitOf(loss)}${convexNote(loss)}).`;
  const parts: ReportPart[] = [
    { kind: 'figure', svg, caption },
    {
      kind: 'figure',
      svg: bitConfusionFigure({ truth: originals, decoded }),
      caption: `All bits of ${number(examples.n)} examples. Dots on the line are probabilities that come true.`,
    },
  ];
  if (model.H === 2) parts.push({ kind: 'figure', svg: map2dFigure({ points: codes }) });
  return parts;
}

/** Each unit by its weights; where columns have names, the strongest of them too. */
function hiddenUnits(model: PCAE): ReportPart[] {
  const { H, V, image, columns } = model;
  const strongest = strongestFeatures(model, 5);
  const units = unitWeights(model, strongest);
  const svg = hiddenUnitFigure({ units, V, image, range: [-1, 1], title: `All ${H} hidden units` });
  const caption =
    'The weights of each unit. It switches on what has the colour of the text, switches off what has the colour of the page, and leaves grey alone.';
  const parts: ReportPart[] = [{ kind: 'figure', svg, caption }];
  if (hasL1(model) || model.chosen)
    parts.push({ kind: 'figure', svg: sparsityFigure({ series: [{ label: 'W', W: model.W }] }) });
  if (!image && columns) {
    parts.push({
      kind: 'table',
      caption: 'The columns that each unit switches on and off most.',
      columns: ['unit', 'on', 'off'],
      rows: strongest.map(({ unit, on, off }) => [
        unit,
        on.map(({ column }) => column).join(' · '),
        off.map(({ column }) => column).join(' · '),
      ]),
    });
  }
  return parts;
}

/** H x V in [-1, 1]: weights relative to the unit's root mean square, large ones levelled off. */
function unitWeights({ V, H, W }: PCAE, strongest: readonly UnitFeatures[]): Float32Array {
  const width = W.length / V;
  return Float32Array.from({ length: H * V }, (_, k) => {
    const h = Math.floor(k / V);
    const typical = Math.max(strongest[h].length / Math.sqrt(V), 1e-30);
    return Math.tanh(W[(k % V) * width + h] / typical);
  });
}

function learning(model: PCAE): ReportPart[] {
  const parts: ReportPart[] = [learningFigure(model)];
  if (model.trainingCodes) {
    parts.push({
      kind: 'figure',
      svg: codeHistogramFigure({ codes: model.trainingCodes, title: 'Where the numbers of the codes lie' }),
      caption: `All ${number(model.trainingCodes.length)} numbers in the codes of the training rows.`,
    });
  }
  return parts;
}

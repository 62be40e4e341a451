import type { Engine } from '../engine/engine.ts';
import { bitConfusionFigure } from '../figures/bit-confusion.ts';
import { codeHistogramFigure } from '../figures/code-histogram.ts';
import { formatLoss } from '../figures/figure.ts';
import { hiddenUnitFigure } from '../figures/hidden-units.ts';
import { map2dFigure } from '../figures/map-2d.ts';
import { reconstructionFigure } from '../figures/reconstructions.ts';
import { sparsityFigure } from '../figures/sparsity.ts';
import type { PCAE } from '../model/model.ts';
import { type ReportPart, report, type SummaryLine } from '../report/report.ts';
import { entry, type Rows } from '../rows/rows.ts';
import { learningFigure } from './learning-figure.ts';
import { strongestFeatures, type UnitFeatures } from './strongest.ts';
import { number, spread, unitOf } from './text.ts';
import { VERSION } from './version.ts';

export interface ModelReportInput {
  readonly title: string;
  readonly lead: string;
  readonly model: PCAE;
  readonly engine: Engine;
  readonly summary: readonly SummaryLine[];
  /** Some rows: the first few are shown beside their reconstructions, all are counted bit by bit. */
  readonly examples: Rows;
  readonly footer?: Readonly<Record<string, string | number>>;
}

/** A model in one HTML page: its numbers, reconstructions, its bits, every hidden unit, and how learning went. */
export async function modelReport(input: ModelReportInput): Promise<string> {
  const { model, title, lead, summary } = input;
  const { algorithm, seed, ridge, l1, epochs } = model.training;
  return report({
    title,
    lead,
    summary,
    sections: [
      { title: 'Reconstructions', parts: await reconstructions(input) },
      { title: 'Hidden units', parts: hiddenUnits(model) },
      { title: 'Learning', parts: learning(model) },
    ],
    footer: {
      'pc-ae': VERSION,
      engine: input.engine.name,
      loss: model.reconstructionLoss.name,
      encoding: model.encoding,
      ...{ algorithm, seed, ridge: number(ridge), l1: spread(l1), epochs },
      ...input.footer,
    },
  });
}

async function reconstructions({ model, engine, examples }: ModelReportInput): Promise<ReportPart[]> {
  const { codes, losses } = await model.encode(examples, { engine });
  const decoded = await model.decode(codes, { engine });
  const originals = Float32Array.from({ length: examples.n * examples.V }, (_, k) =>
    entry(examples, Math.floor(k / examples.V), k % examples.V),
  );
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
  const caption = `Under each example: its loss (${unitOf(model.reconstructionLoss)}).`;
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
    'The weights of each unit: switched on in the colour of the writing, switched off in that of the page, left alone in grey.';
  const sparsity = sparsityFigure({ series: [{ label: 'W', W: model.W }] });
  const parts: ReportPart[] = [
    { kind: 'figure', svg, caption },
    { kind: 'figure', svg: sparsity },
  ];
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

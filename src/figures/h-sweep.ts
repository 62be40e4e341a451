import { drawAxes, extent } from './axes.ts';
import { emptyFigure, type FigureOptions, figureDocument, headRoom } from './figure.ts';
import { drawablePoints, drawLegend, drawLine } from './lines.ts';

/** Loss against the number of hidden units: one curve for each set, method or encoding. */
export interface HSweepSeries {
  readonly label: string;
  readonly H: ArrayLike<number>;
  readonly loss: ArrayLike<number>;
}

export interface HSweepInput extends FigureOptions {
  series: readonly HSweepSeries[];
  /** Losses of hidden entries, drawn below: they show how many units find structure. */
  entries?: readonly HSweepSeries[];
  /** Unit of the loss. Default "nats per row". */
  unit?: string;
  /** Unit of the loss of an entry. Default "nats per hidden entry". */
  entryUnit?: string;
}

/** What one more hidden unit buys: loss against H, H on a logarithmic axis. */
export function hSweepFigure(input: HSweepInput): string {
  const { unit = 'nats per row', entryUnit = 'nats per hidden entry', series, entries = [] } = input;
  const { note, title = 'Loss against the number of hidden units' } = input;
  const all = [...series, ...entries].flatMap(sorted);
  if (all.length === 0) return emptyFigure({ title, note }, 'There is no sweep to show.');

  const xAxis = { label: 'H (hidden units)', log: true, ...unitsAxis(all.map(([h]) => h)) };
  const body: string[] = [];
  let y = headRoom({ note });
  const addPanel = (shown: readonly HSweepSeries[], label: string, height: number, first: number) => {
    const lines = shown.map(sorted);
    const losses = lines.flat().map(([, loss]) => loss);
    if (losses.length === 0) return;
    const names = shown.map((curve) => curve.label);
    const legend = drawLegend(names, { left: BOX.left, top: y, width: BOX.width }, first);
    const box = { ...BOX, top: y + legend.height, height };
    const axes = drawAxes(box, xAxis, { label, domain: extent(losses, [0]) });
    body.push(legend.svg, axes.svg, ...lines.map((line, k) => drawLine(axes, line, first + k, true)));
    y = box.top + box.height + 48;
  };
  addPanel(series, unit, 260, 0);
  addPanel(entries, entryUnit, 180, series.length);
  return figureDocument({ title, note }, BOX.left + BOX.width + 24, y, ...body);
}

const BOX = { left: 72, width: 504 };

/** What can be drawn, from the fewest units to the most. */
function sorted({ label, H, loss }: HSweepSeries): [number, number][] {
  return drawablePoints({ label, x: H, y: loss })
    .filter(([h]) => h > 0)
    .sort((a, b) => a[0] - b[0]);
}

/** Marks at the values of H that were tried, as far as they do not crowd. */
function unitsAxis(H: readonly number[]) {
  const tried = [...new Set(H)].sort((a, b) => a - b);
  const low = tried[0] / 1.1;
  const high = tried[tried.length - 1] * 1.1;
  const apart = (high / low) ** (1 / 14);
  const ticks: number[] = [];
  for (const h of tried) {
    if (ticks.length === 0 || h / ticks[ticks.length - 1] >= apart) ticks.push(h);
  }
  return { domain: [low, high] as const, ticks };
}

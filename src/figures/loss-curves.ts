import { drawAxes, extent } from './axes.ts';
import { emptyFigure, type FigureOptions, figureDocument, headRoom } from './figure.ts';
import { drawablePoints, drawLegend, drawLine, type Series } from './lines.ts';

export interface LossCurveInput extends FigureOptions {
  /** Loss, slack, held-out loss: whatever shares the upper axis. */
  series: readonly Series[];
  /** The certified gap, drawn below on a logarithmic axis. */
  gaps?: readonly Series[];
  /** What x counts. */
  over: 'seconds' | 'steps' | 'epochs';
  /** Unit of y. Default "nats per example". */
  unit?: string;
}

/** Loss and slack during a fit (the paper's Fig. 4), and how far from the optimum the codes may still be. */
export function lossCurveFigure(input: LossCurveInput): string {
  const { over, unit = 'nats per example', note, title = 'Loss and slack during the fit' } = input;
  const lines = input.series.map(drawablePoints);
  const gaps = (input.gaps ?? []).map(drawablePoints);
  const all = [...lines, ...gaps].flat();
  if (all.length === 0) return emptyFigure({ title, note }, 'There is no history to show.');

  const xAxis = {
    label: over,
    domain: extent(
      all.map(([x]) => x),
      [0],
    ),
    tight: true,
  };
  const body: string[] = [];
  let y = headRoom({ note });
  const addPanel = (names: readonly string[], points: readonly [number, number][][], log: boolean) => {
    const values = points.flat().map(([, value]) => value);
    if (values.length === 0) return;
    const offset = log ? input.series.length : 0;
    const legend = drawLegend(names, { left: BOX.left, top: y, width: BOX.width }, offset);
    const box = { ...BOX, top: y + legend.height, height: log ? 110 : 230 };
    const domain = log ? positiveExtent(values) : extent(values);
    const axes = drawAxes(box, xAxis, { label: log ? `gap (${unit})` : unit, domain, log });
    body.push(legend.svg, axes.svg, ...points.map((line, k) => drawLine(axes, line, offset + k)));
    y = box.top + box.height + 48;
  };
  addPanel(
    input.series.map(({ label }) => label),
    lines,
    false,
  );
  addPanel(
    (input.gaps ?? []).map(({ label }) => label),
    gaps,
    true,
  );
  return figureDocument({ title, note }, BOX.left + BOX.width + 24, y, ...body);
}

const BOX = { left: 72, width: 564 };

/** Twelve decades at most: a gap that rounding has brought to 0 or below lies on the floor. */
function positiveExtent(values: readonly number[]): [number, number] {
  const positive = values.filter((value) => value > 1e-290);
  if (positive.length === 0) return [0.1, 1];
  const [least, most] = [Math.min, Math.max].map((pick) => positive.reduce((a, b) => pick(a, b)));
  return [Math.max(least, most * 1e-12), most];
}

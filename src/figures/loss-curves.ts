import { drawAxes, extent, isDrawable } from './axes.ts';
import { emptyFigure, type FigureOptions, figureDocument, headRoom } from './figure.ts';
import { drawablePieces, drawLegend, drawLine, type Series } from './lines.ts';

export interface LossCurveInput extends FigureOptions {
  /** Loss, slack, held-out loss: whatever shares the upper axis. */
  series: readonly Series[];
  /** The certified gap, drawn below on a logarithmic axis as far as it is above 0. */
  gaps?: readonly Series[];
  /** What x counts. */
  over: 'seconds' | 'steps' | 'epochs';
  /** Unit of y. Default "nats per row". */
  unit?: string;
}

/** Loss and slack during a fit (the paper's Fig. 4), and how far from the optimum the codes may still be. */
export function lossCurveFigure(input: LossCurveInput): string {
  const { over, unit = 'nats per row', note, title = 'Loss and slack during the fit' } = input;
  const upper = input.series.map((series) => ({ label: series.label, lines: drawablePieces(series) }));
  const lower = positiveCurves(input.gaps ?? []);
  const all = [...upper, ...lower].flatMap(({ lines }) => lines.flat());
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
  const addPanel = (curves: readonly Curve[], log: boolean) => {
    const values = curves.flatMap(({ lines }) => lines.flat()).map(([, value]) => value);
    if (values.length === 0) return;
    const first = log ? upper.length : 0;
    const names = curves.map(({ label }) => label);
    const legend = drawLegend(names, { left: BOX.left, top: y, width: BOX.width }, first);
    const box = { ...BOX, top: y + legend.height, height: log ? 110 : 230 };
    const domain = log ? range(values) : extent(values);
    const axes = drawAxes(box, xAxis, { label: log ? `gap (${unit})` : unit, domain, log });
    const lines = curves.flatMap((curve, k) => curve.lines.map((line) => drawLine(axes, line, first + k)));
    body.push(legend.svg, axes.svg, lines.join(''));
    y = box.top + box.height + 48;
  };
  addPanel(upper, false);
  addPanel(lower, true);
  return figureDocument({ title, note }, BOX.left + BOX.width + 24, y, ...body);
}

const BOX = { left: 72, width: 564 };

interface Curve {
  readonly label: string;
  readonly lines: readonly [number, number][][];
}

/**
 * What a logarithmic axis has room for, twelve decades: below them is what rounding makes of 0, and a line
 * there would show a number that nobody measured. Curves that have such values say so; those that have no
 * others are left out.
 */
function positiveCurves(gaps: readonly Series[]): Curve[] {
  const values = gaps.flatMap(({ y }) => Array.from(y).filter(isDrawable));
  const floor = Math.max(1e-290, 1e-12 * values.reduce((most, value) => Math.max(most, value), 0));
  return gaps
    .map((series) => {
      const hidden = Array.from(series.y).some((value) => value < floor);
      const lines = drawablePieces(series, (value) => value >= floor);
      return { label: hidden ? `${series.label}, where above 0` : series.label, lines };
    })
    .filter(({ lines }) => lines.length > 0);
}

function range(values: readonly number[]): [number, number] {
  return [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))];
}

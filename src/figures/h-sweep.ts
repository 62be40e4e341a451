import { drawAxes, extent } from './axes.ts';
import { emptyFigure, type FigureOptions, figureDocument, headRoom } from './figure.ts';
import { drawablePoints, drawLegend, drawLine } from './lines.ts';

export interface HSweepInput extends FigureOptions {
  /** Loss against the number of hidden units, a series for each set, method or encoding. */
  series: readonly {
    readonly label: string;
    readonly H: ArrayLike<number>;
    readonly loss: ArrayLike<number>;
  }[];
  /** Unit of the loss. Default "nats per example". */
  unit?: string;
}

/** What one more hidden unit buys: loss against H, H on a logarithmic axis. */
export function hSweepFigure(input: HSweepInput): string {
  const { unit = 'nats per example', note, title = 'Loss against the number of hidden units' } = input;
  const lines = input.series.map(({ label, H, loss }) =>
    drawablePoints({ label, x: H, y: loss })
      .filter(([h]) => h > 0)
      .sort((a, b) => a[0] - b[0]),
  );
  const all = lines.flat();
  if (all.length === 0) return emptyFigure({ title, note }, 'There is no sweep to show.');

  const top = headRoom({ note });
  const names = input.series.map(({ label }) => label);
  const legend = drawLegend(names, { left: BOX.left, top, width: BOX.width });
  const box = { ...BOX, top: top + legend.height };
  const xAxis = { label: 'H (hidden units)', log: true, ...unitsAxis(all.map(([h]) => h)) };
  const yAxis = {
    label: unit,
    domain: extent(
      all.map(([, loss]) => loss),
      [0],
    ),
  };
  const axes = drawAxes(box, xAxis, yAxis);
  const body = lines.map((line, k) => drawLine(axes, line, k, true));
  const height = box.top + box.height + 48;
  return figureDocument({ title, note }, box.left + box.width + 24, height, legend.svg, axes.svg, ...body);
}

const BOX = { left: 72, width: 504, height: 260 };

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

import { drawAxes, extent, isDrawable } from './axes.ts';
import { emptyFigure, type FigureOptions, figureDocument, headRoom } from './figure.ts';
import { formatShare } from './numbers.ts';
import { element } from './svg.ts';
import { seriesClass } from './theme.ts';

export interface CodeHistogramInput extends FigureOptions {
  /** All entries of the codes E, in any order. */
  codes: ArrayLike<number>;
  /** Number of bars. Default 40. */
  bins?: number;
}

/** How close codes are to bits: a histogram of their entries between -1 and +1. */
export function codeHistogramFigure(input: CodeHistogramInput): string {
  const { codes, bins = 40, title = 'How far the codes are from bits' } = input;
  const values = Array.from(codes).filter(isDrawable);
  if (values.length === 0) return emptyFigure({ title, note: input.note }, 'There are no codes to show.');

  const [low, high] = extent(values, [-1, 1]);
  const margin = 0.03 * (high - low);
  const counts = new Float64Array(bins);
  let close = 0;
  for (const value of values) {
    counts[Math.min(bins - 1, Math.floor(((value - low) / (high - low)) * bins))] += 1 / values.length;
    if (Math.abs(Math.abs(value) - 1) <= 0.05) close += 1 / values.length;
  }
  const note = input.note ?? `${formatShare(close)} of all code entries are within 0.05 of -1 or +1.`;
  const box = { left: 72, top: headRoom({ note }) + 6, width: 504, height: 240 };
  const axes = drawAxes(
    box,
    { label: 'value of a code entry', domain: [low - margin, high + margin], tight: true },
    { label: 'share of all entries', domain: extent(counts, [0]), format: formatShare },
  );
  const edge = (k: number) => axes.x(low + ((high - low) * k) / bins);
  const bars = Array.from(counts, (count, k) => {
    const y = axes.y(count);
    const place = { x: edge(k), y, width: Math.max(0.5, edge(k + 1) - edge(k) - 1), height: axes.y(0) - y };
    return count > 0 ? element('rect', { class: `dot ${seriesClass(0)}`, ...place }) : '';
  });
  const guides = [-1, 1].map((bit) =>
    element('path', { class: 'guide', d: `M${Math.round(axes.x(bit))} ${box.top}v${box.height}` }),
  );
  return figureDocument({ title, note }, 600, box.top + box.height + 48, axes.svg, ...bars, ...guides);
}

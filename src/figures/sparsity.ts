import { drawAxes, isDrawable } from './axes.ts';
import { emptyFigure, type FigureOptions, figureDocument, headRoom } from './figure.ts';
import { drawLegend, drawLine } from './lines.ts';
import { formatShare } from './numbers.ts';

export interface SparsityInput extends FigureOptions {
  /** The weights to compare; W is the V x H matrix in any order. */
  series: readonly { readonly label: string; readonly W: ArrayLike<number> }[];
}

/** How sparse W is: the share of all absolute weight that its largest entries hold. */
export function sparsityFigure(input: SparsityInput): string {
  const { title = 'Sparsity of W' } = input;
  const curves = input.series.map(({ W }) => concentration(W));
  if (curves.every(({ points }) => points.length === 0)) {
    return emptyFigure({ title, note: input.note }, 'There are no weights to show.');
  }
  const zeros = input.series.map(({ label }, k) => `${formatShare(curves[k].zeros)} (${label})`);
  const found = zeros.length === 1 ? formatShare(curves[0].zeros) : zeros.join(', ');
  const note = input.note ?? `Weights that are exactly 0: ${found}.`;
  const top = headRoom({ note });
  const names = input.series.map(({ label }) => label);
  const legend = drawLegend(names, { left: BOX.left, top, width: BOX.width });
  const box = { ...BOX, top: top + legend.height };
  const ticks = [0, 0.2, 0.4, 0.6, 0.8, 1];
  const axis = { domain: [0, 1] as const, ticks, format: formatShare };
  const axes = drawAxes(
    box,
    { label: 'share of the weights, largest first', ...axis },
    { label: 'share of the sum of |w|', ...axis },
  );
  const lines = curves.map(({ points }, k) => drawLine(axes, points, k));
  return figureDocument({ title, note }, 600, box.top + box.height + 48, legend.svg, axes.svg, ...lines);
}

const BOX = { left: 72, width: 504, height: 260 };

/** Points of the concentration (Lorenz) curve, and the share of exact zeros. */
function concentration(W: ArrayLike<number>): { points: [number, number][]; zeros: number } {
  const sizes = Float64Array.from(Array.from(W).filter(isDrawable), Math.abs).sort().reverse();
  const n = sizes.length;
  const largest = sizes[0] || 1;
  let total = 0;
  for (const size of sizes) total += size / largest;
  if (n === 0) return { points: [], zeros: 0 };
  const points: [number, number][] = [[0, 0]];
  let held = 0;
  let zeros = 0;
  for (let k = 0; k < n; k++) {
    held += sizes[k] / largest;
    if (sizes[k] === 0) zeros++;
    // All-zero weights hold nothing, evenly.
    points.push([(k + 1) / n, total > 0 ? held / total : (k + 1) / n]);
  }
  return { points, zeros: zeros / n };
}

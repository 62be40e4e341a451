import { drawAxes } from './axes.ts';
import { emptyFigure, type FigureOptions, figureDocument, headRoom } from './figure.ts';
import { formatNumber, formatShare } from './numbers.ts';
import { element, text } from './svg.ts';
import { seriesClass } from './theme.ts';

export interface BitConfusionInput extends FigureOptions {
  /** Entries of the data, in [-1, 1]; NaN where missing. */
  truth: ArrayLike<number>;
  /** The decoded entries, in [-1, 1]: twice the probability of a one, minus one. */
  decoded: ArrayLike<number>;
}

/** True bits against decoded probabilities: are they right, and does "70%" come true 70% of the time? */
export function bitConfusionFigure(input: BitConfusionInput): string {
  const { truth, decoded, title = 'True bits against decoded probabilities' } = input;
  if (truth.length !== decoded.length) {
    throw new RangeError(
      `truth has ${truth.length} entries and decoded ${decoded.length}; expected equal numbers`,
    );
  }
  const tally = tallyBits(truth, decoded);
  if (tally.known === 0) return emptyFigure({ title, note: input.note }, 'There are no known bits to show.');

  const right = (tally.table[0] + tally.table[3]) / tally.known;
  const bits = formatNumber(tally.known);
  const note = input.note ?? `${formatShare(right)} of ${bits} bits come out right when rounded.`;
  const box = { left: 72, top: headRoom({ note }) + 6, width: 300, height: 300 };
  const ticks = [0, 0.2, 0.4, 0.6, 0.8, 1];
  const axis = { domain: [-0.05, 1.05] as const, ticks, format: formatShare };
  const axes = drawAxes(
    box,
    { label: 'decoded probability of a one', ...axis },
    { label: 'share of ones among such bits', ...axis },
  );
  const diagonal = { x1: axes.x(0), y1: axes.y(0), x2: axes.x(1), y2: axes.y(1) };
  const most = Math.max(...tally.weight);
  const dots = Array.from(tally.weight, (weight, k) => {
    if (weight === 0) return '';
    const place = { cx: axes.x(tally.probability[k] / weight), cy: axes.y(tally.ones[k] / weight) };
    const r = 2.5 + 8 * Math.sqrt(weight / most);
    return element('circle', { class: `dot ${seriesClass(0)}`, 'fill-opacity': 0.75, ...place, r });
  });
  const body = [
    axes.svg,
    element('line', { class: 'guide', ...diagonal, 'shape-rendering': 'auto' }),
    ...dots,
    drawTable(tally, 418, box.top + 40),
  ];
  return figureDocument({ title, note }, 700, box.top + box.height + 48, ...body);
}

const BINS = 20;

interface Tally {
  known: number;
  /** True 0 decoded 0, true 0 decoded 1, true 1 decoded 0, true 1 decoded 1. */
  table: [number, number, number, number];
  /** For each bin of decoded probabilities: the bits, their summed probability, the ones among them. */
  weight: Float64Array;
  probability: Float64Array;
  ones: Float64Array;
}

/**
 * An entry between -1 and 1 is a bit that is one with that mean (App. B), and counts as both in proportion.
 */
function tallyBits(truth: ArrayLike<number>, decoded: ArrayLike<number>): Tally {
  const [weight, probability, ones] = [0, 0, 0].map(() => new Float64Array(BINS));
  const tally: Tally = { known: 0, table: [0, 0, 0, 0], weight, probability, ones };
  for (let i = 0; i < truth.length; i++) {
    const one = (1 + truth[i]) / 2;
    const p = Math.min(1, Math.max(0, (1 + decoded[i]) / 2));
    if (!(one >= 0 && one <= 1) || Number.isNaN(p)) continue;
    const bin = Math.min(BINS - 1, Math.floor(p * BINS));
    tally.known++;
    weight[bin]++;
    probability[bin] += p;
    ones[bin] += one;
    const guess = p >= 0.5 ? 1 : 0;
    tally.table[guess] += 1 - one;
    tally.table[2 + guess] += one;
  }
  return tally;
}

function drawTable(tally: Tally, left: number, top: number): string {
  const [width, height] = [92, 60];
  const middle = { 'text-anchor': 'middle' };
  const cells = tally.table.map((count, cell) => {
    const x = left + 68 + (cell % 2) * width;
    const y = top + 24 + Math.floor(cell / 2) * height;
    const share = count / tally.known;
    const fill = {
      class: `dot ${seriesClass(cell === 0 || cell === 3 ? 0 : 1)}`,
      'fill-opacity': 0.08 + 0.4 * share,
    };
    return [
      element('rect', { ...fill, x, y, width: width - 4, height: height - 4 }),
      text(formatShare(share), x + width / 2 - 2, y + 27, { ...middle, 'font-weight': 600 }),
      text(formatNumber(Math.round(count)), x + width / 2 - 2, y + 44, {
        ...middle,
        class: 'muted',
        'font-size': 11,
      }),
    ].join('');
  });
  const heads = [0, 1].flatMap((bit) => [
    text(`decoded ${bit}`, left + 66 + (bit + 0.5) * width, top + 14, { ...middle, class: 'muted' }),
    text(`true ${bit}`, left + 58, top + 54 + bit * height, { class: 'muted', 'text-anchor': 'end' }),
  ]);
  return cells.join('') + heads.join('');
}

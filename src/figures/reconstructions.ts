import { emptyFigure, type FigureOptions, figureDocument, headRoom, shorten, textWidth } from './figure.ts';
import { formatNumber } from './numbers.ts';
import { text } from './svg.ts';
import { countRows, drawTile, type ImageShape, tileShape } from './tiles.ts';

export interface ReconstructionInput extends FigureOptions {
  /** What is compared, from top to bottom: first the originals, then one or more reconstructions of them. */
  rows: readonly {
    readonly label: string;
    /** n x V, row after row. */
    readonly values: ArrayLike<number>;
  }[];
  V: number;
  image?: ImageShape;
  range?: readonly [number, number];
  /** A few words under each example, such as its loss. */
  captions?: readonly string[];
  /** The most examples to show. Default 20. */
  show?: number;
  /** Pixels that a line of examples may take. Default 780. */
  width?: number;
}

/** Originals above their reconstructions, example by example (the paper's Figs. 1-3 and 7-9). */
export function reconstructionFigure(input: ReconstructionInput): string {
  const { rows, V, image, range, captions, show = 20 } = input;
  const { title = 'Originals and their reconstructions', width: most = WIDTH } = input;
  const counts = rows.map((row) => countRows(`"${row.label}"`, row.values, V));
  const n = rows.length > 0 ? Math.min(...counts) : 0;
  const count = Math.min(n, show);
  if (count < 1) return emptyFigure({ title }, 'There are no examples to show.');

  const isMissing = ({ values }: (typeof rows)[number]) =>
    Array.from({ length: count * V }, (_, k) => values[k]).some(Number.isNaN);
  const remarks = [
    ...(count < n ? [`The first ${count} of ${formatNumber(n)} examples.`] : []),
    ...(rows.some(isMissing) ? ['Missing entries are orange.'] : []),
  ];
  const note = input.note ?? (remarks.join(' ') || undefined);
  const shape = tileShape(V, image);
  const labels = rows.map((row) => shorten(row.label, 150));
  const left = 24 + Math.max(...labels.map(textWidth));
  const across = Math.max(1, Math.min(count, Math.floor((most - left - 12) / (shape.width + GAP))));
  const bands = Math.ceil(count / across);
  const lineHeight = shape.height + GAP;
  const bandHeight = rows.length * lineHeight + (captions ? 16 : 0) + 12;

  const top = headRoom({ note });
  const body: string[] = [];
  for (let band = 0; band < bands; band++) {
    rows.forEach((row, r) => {
      const y = top + band * bandHeight + r * lineHeight;
      body.push(text(labels[r], left - 12, y + shape.height / 2 + 4, { 'text-anchor': 'end' }));
      for (let i = band * across; i < Math.min(count, (band + 1) * across); i++) {
        const x = left + (i % across) * (shape.width + GAP);
        body.push(drawTile({ values: row.values, V, image, range }, i, shape, x, y));
        if (captions?.[i] === undefined || r + 1 < rows.length) continue;
        const caption = shorten(captions[i], shape.width + GAP);
        const under = { class: 'muted', 'text-anchor': 'middle', 'font-size': 11 };
        body.push(text(caption, x + shape.width / 2, y + shape.height + 15, under));
      }
    });
  }
  const width = Math.max(360, left + across * (shape.width + GAP) + 12);
  return figureDocument({ title, note }, width, top + bands * bandHeight, body.join(''));
}

const WIDTH = 780;
const GAP = 4;

import { emptyFigure, type FigureOptions, figureDocument, headRoom, shorten } from './figure.ts';
import { text } from './svg.ts';
import { countRows, drawTile, type ImageShape, tileShape } from './tiles.ts';

export interface HiddenUnitInput extends FigureOptions {
  /** H x V: row h is what the decoder makes of the code that has unit h on and the others off. */
  units: ArrayLike<number>;
  V: number;
  image?: ImageShape;
  range?: readonly [number, number];
  /** A name under each unit. Default: its number, from 1. */
  labels?: readonly string[];
}

/** Every hidden unit as a picture (the paper's Figs. 3 and 5). */
export function hiddenUnitFigure(input: HiddenUnitInput): string {
  const { units, V, image, range, labels, note, title = 'Hidden units' } = input;
  const H = countRows('units', units, V);
  if (H === 0) return emptyFigure({ title }, 'There are no hidden units to show.');
  const shape = tileShape(V, image);
  const stepX = shape.width + 8;
  const stepY = shape.height + 20;
  // As few lines as fit the width, filled evenly: 100 units are ten tens.
  const lines = Math.ceil(H / Math.max(1, Math.floor((WIDTH - 24) / stepX)));
  const across = Math.ceil(H / lines);
  const top = headRoom({ note });
  const body: string[] = [];
  for (let h = 0; h < H; h++) {
    const x = 12 + (h % across) * stepX;
    const y = top + Math.floor(h / across) * stepY;
    const name = shorten(labels?.[h] ?? String(h + 1), stepX);
    const under = { class: 'muted', 'text-anchor': 'middle', 'font-size': 10 };
    body.push(drawTile({ values: units, V, image, range }, h, shape, x, y));
    body.push(text(name, x + shape.width / 2, y + shape.height + 12, under));
  }
  const width = Math.max(360, 24 + across * stepX - 8);
  return figureDocument({ title, note }, width, top + Math.ceil(H / across) * stepY + 8, body.join(''));
}

const WIDTH = 780;

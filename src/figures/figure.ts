import { element, escapeText, text } from './svg.ts';
import { figureStyle } from './theme.ts';

/**
 * A figure is a function from plain numbers to an SVG document as a string, and knows neither a model nor a
 * browser: the same code draws in Node and on a page. What cannot be drawn (no data, one point, values that
 * are not finite) leaves a figure that says so.
 */
export interface FigureOptions {
  /** The headline. Each figure has its own default. */
  title?: string;
  /** One line under the headline. */
  note?: string;
}

/** Room that the headline takes at the top, with a note and without. */
export function headRoom(options: FigureOptions): number {
  return options.note ? 52 : 36;
}

/** The whole document: ground, headline, note, and then what the figure itself draws. */
export function figureDocument(
  head: FigureOptions,
  width: number,
  height: number,
  ...body: string[]
): string {
  const { title = '', note } = head;
  return element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      class: 'pcae-figure',
      role: 'img',
      'aria-label': title,
      viewBox: `0 0 ${Math.ceil(width)} ${Math.ceil(height)}`,
      width: Math.ceil(width),
      height: Math.ceil(height),
    },
    element('title', {}, escapeText(title)),
    figureStyle(),
    element('rect', { class: 'ground', width: '100%', height: '100%' }),
    text(shorten(title, width - 24, 8), 12, 24, { class: 'text title' }),
    ...(note ? [text(shorten(note, width - 24), 12, 42, { class: 'muted' })] : []),
    ...body,
  );
}

/** Words in the middle of an empty figure. */
export function emptyFigure(head: FigureOptions, why: string): string {
  return figureDocument(head, 480, 140, text(why, 240, 84, { class: 'muted', 'text-anchor': 'middle' }));
}

/** Cuts a text that would not fit. Without a font at hand, a character counts as `each` pixels. */
export function shorten(value: string, width: number, each = CHARACTER): string {
  const characters = [...value];
  const room = Math.max(1, Math.floor(width / each));
  return characters.length <= room ? value : `${characters.slice(0, room - 1).join('')}…`;
}

/** About the width of a text in pixels, on the generous side. */
export function textWidth(value: string): number {
  return [...value].length * CHARACTER;
}

const CHARACTER = 6.4;

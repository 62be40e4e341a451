import { type Axes, type Box, isDrawable } from './axes.ts';
import { shorten, textWidth } from './figure.ts';
import { coordinate, element, text } from './svg.ts';
import { seriesClass, seriesDash } from './theme.ts';

/** One curve: y against x, both of the same length. */
export interface Series {
  label: string;
  x: ArrayLike<number>;
  y: ArrayLike<number>;
  /** Numbers of the points at which the curve starts again: no line leads to them. */
  starts?: readonly number[];
}

/** The points of a series that can be drawn. */
export function drawablePoints(series: Series): [number, number][] {
  return drawablePieces(series).flat();
}

/** The same in pieces, one for each line: a point that is not `shown` ends one, as a start begins one. */
export function drawablePieces(series: Series, shown = (_y: number) => true): [number, number][][] {
  const { x, y, starts = [] } = series;
  const pieces: [number, number][][] = [[]];
  const n = Math.min(x.length, y.length);
  const begins = new Set(starts);
  for (let i = 0; i < n; i++) {
    const drawable = isDrawable(x[i]) && isDrawable(y[i]);
    const last = pieces[pieces.length - 1];
    if (last.length > 0 && (begins.has(i) || (drawable && !shown(y[i])))) pieces.push([]);
    if (drawable && shown(y[i])) pieces[pieces.length - 1].push([x[i], y[i]]);
  }
  return pieces.filter((piece) => piece.length > 0);
}

/** The curve of series k, with a dot at each point if wanted, and where a single point makes no line. */
export function drawLine(axes: Axes, points: readonly [number, number][], k: number, dots = false): string {
  const places = thinOut(points.map(([x, y]) => [axes.x(x), axes.y(y)]));
  if (places.length === 0) return '';
  const path = places.map(([x, y], i) => `${i === 0 ? 'M' : 'L'}${coordinate(x)} ${coordinate(y)}`).join('');
  const line = element('path', {
    class: `line ${seriesClass(k)}`,
    'stroke-dasharray': seriesDash(k),
    d: path,
  });
  if (!dots && places.length > 1) return line;
  const circles = places.map(([x, y]) =>
    element('circle', { class: `dot ${seriesClass(k)}`, cx: x, cy: y, r: 3.2 }),
  );
  return line + circles.join('');
}

interface Legend {
  svg: string;
  height: number;
}

/** The names of the series, from number `first`, in rows, each beside a piece of its line. */
export function drawLegend(labels: readonly string[], box: Omit<Box, 'height'>, first = 0): Legend {
  let x = box.left;
  let y = box.top + 14;
  const entries = labels.map((label, i) => {
    const k = first + i;
    const name = shorten(label, box.width - 50);
    const width = 46 + textWidth(name);
    if (x > box.left && x + width > box.left + box.width) {
      x = box.left;
      y += 18;
    }
    const sample = {
      class: `line ${seriesClass(k)}`,
      'stroke-dasharray': seriesDash(k),
      d: `M${x} ${y - 4}h22`,
    };
    const entry = element('path', sample) + text(name, x + 28, y);
    x += width;
    return entry;
  });
  return { svg: entries.join(''), height: labels.length > 0 ? y + 10 - box.top : 0 };
}

/**
 * Keeps the first, last, lowest and highest point of each pixel column: no spike is lost, long runs stay
 * small.
 */
function thinOut(places: number[][]): number[][] {
  if (places.length <= 1000) return places;
  const kept = new Set<number[]>();
  let start = 0;
  while (start < places.length) {
    let low = start;
    let high = start;
    let end = start;
    while (end + 1 < places.length && Math.round(places[end + 1][0]) === Math.round(places[start][0])) {
      end++;
      if (places[end][1] < places[low][1]) low = end;
      if (places[end][1] > places[high][1]) high = end;
    }
    kept.add(places[start]);
    kept.add(places[Math.min(low, high)]);
    kept.add(places[Math.max(low, high)]);
    kept.add(places[end]);
    start = end + 1;
  }
  return [...kept];
}

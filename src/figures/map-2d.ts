import { type Axes, drawAxes, extent, isDrawable } from './axes.ts';
import { emptyFigure, type FigureOptions, figureDocument, headRoom, shorten, textWidth } from './figure.ts';
import { formatNumber } from './numbers.ts';
import { coordinate, element, text } from './svg.ts';
import { seriesClass } from './theme.ts';

export interface Map2dInput extends FigureOptions {
  /** n x 2: the codes of n examples under a model with two hidden units, or any two of its units. */
  points: ArrayLike<number>;
  /** The class of each example, from 0. Default: one class. */
  classes?: ArrayLike<number>;
  /** Names of the classes. Default: their numbers. */
  names?: readonly string[];
  /** Names of the two axes. Default "unit 1" and "unit 2". */
  axes?: readonly [string, string];
  /** The most points to draw, spread evenly over the set. Default 4,000. */
  show?: number;
  /** Place points by the ranks of their codes: legible if a few codes are much larger than the rest. */
  ranks?: boolean;
}

/** A map of examples with two codes each, coloured by class (the paper's Fig. 6). */
export function map2dFigure(input: Map2dInput): string {
  const { classes, show = 4000, ranks = false } = input;
  const points = ranks ? ranksOf(input.points) : input.points;
  const labels = (input.axes ?? ['unit 1', 'unit 2']).map((name) => (ranks ? `${name}, rank in %` : name));
  const { title = 'Map of the examples' } = input;
  if (points.length % 2 !== 0)
    throw new RangeError(`points has ${points.length} values; expected two per row`);
  const n = points.length / 2;
  if (classes && classes.length !== n) {
    throw new RangeError(`classes has ${classes.length} entries for ${n} points; expected one per point`);
  }
  const stride = Math.max(1, Math.ceil(n / show));
  const groups = groupByClass(points, classes, stride);
  const shown = groups.flatMap(([, places]) => places);
  if (shown.length === 0) return emptyFigure({ title, note: input.note }, 'There are no points to show.');

  const some = shown.length < n ? `${formatNumber(shown.length)} of ${formatNumber(n)} examples.` : undefined;
  const note = input.note ?? some;
  const box = { left: 72, top: headRoom({ note }) + 6, width: 480, height: 420 };
  const axes = drawAxes(
    box,
    { label: labels[0], domain: extent(shown.map(([x]) => x)) },
    { label: labels[1], domain: extent(shown.map(([, y]) => y)) },
  );
  const marks = groups.map(([k, places]) => drawMarks(axes, places, k));
  const name = (k: number) => shorten(input.names?.[k] ?? String(k), 110);
  const several = groups.length > 1;
  const middles = groups.map(([k, places]) => middleOf(axes, places, name(k)));
  const placed = several ? apart(middles, box.top + box.height + 10).map(drawMiddle) : [];
  const legend = several ? groups.map(([k], row) => drawEntry(k, name(k), box.top + 10 + 20 * row)) : [];
  const height = Math.max(box.top + box.height + 48, box.top + 20 * legend.length + 20);
  return figureDocument(
    { title, note },
    several ? 690 : 576,
    height,
    axes.svg,
    ...marks,
    ...placed,
    ...legend,
  );
}

/** Each coordinate as its rank among all, from 0 to 100; equal ones share their mean rank. */
function ranksOf(points: ArrayLike<number>): Float64Array {
  const out = new Float64Array(points.length).fill(Number.NaN);
  for (const axis of [0, 1]) {
    const order: number[] = [];
    for (let k = axis; k < points.length; k += 2) if (isDrawable(points[k])) order.push(k);
    order.sort((a, b) => points[a] - points[b]);
    for (let first = 0; first < order.length; ) {
      let end = first + 1;
      while (end < order.length && points[order[end]] === points[order[first]]) end++;
      const rank = (100 * (first + end - 1)) / 2 / Math.max(1, order.length - 1);
      for (; first < end; first++) out[order[first]] = rank;
    }
  }
  return out;
}

type Places = [number, number][];

function groupByClass(points: ArrayLike<number>, classes: ArrayLike<number> | undefined, stride: number) {
  const groups = new Map<number, Places>();
  for (let i = 0; 2 * i < points.length; i += stride) {
    const [x, y] = [points[2 * i], points[2 * i + 1]];
    if (!isDrawable(x) || !isDrawable(y)) continue;
    const k = classes ? classes[i] : 0;
    if (!(Number.isInteger(k) && k >= 0)) {
      throw new RangeError(`classes[${i}] is ${k}; expected a whole number from 0`);
    }
    if (!groups.has(k)) groups.set(k, []);
    groups.get(k)?.push([x, y]);
  }
  return [...groups].sort((a, b) => a[0] - b[0]);
}

/** Five shapes, filled and open, so that ten classes differ without colour, and 70 with seven colours. */
const SHAPES = [
  'm-2.6 0a2.6 2.6 0 1 0 5.2 0a2.6 2.6 0 1 0 -5.2 0z',
  'm-2.3 -2.3h4.6v4.6h-4.6z',
  'm0 -3.2l3 5.2h-6z',
  'm0 -3.4l3.4 3.4l-3.4 3.4l-3.4 -3.4z',
  'm0 3.2l3 -5.2h-6z',
];

function drawMarks(axes: Axes, places: Places, k: number): string {
  const points = places.map(([x, y]): [number, number] => [axes.x(x), axes.y(y)]);
  return marksAt(points, k, 0.8);
}

/** The marks of class k at some points of the figure. */
function marksAt(points: Places, k: number, opacity?: number): string {
  const shape = SHAPES[k % SHAPES.length];
  const open = Math.floor(k / SHAPES.length) % 2 === 1;
  const d = points.map(([x, y]) => `M${coordinate(x)} ${coordinate(y)}${shape}`).join('');
  return element('path', { class: `${open ? 'ring' : 'dot'} ${seriesClass(k)}`, opacity, d });
}

interface Middle {
  readonly name: string;
  readonly x: number;
  readonly y: number;
}

/** The name of a class, for where the middle of its points is. */
function middleOf(axes: Axes, places: Places, name: string): Middle {
  const at = (axis: 0 | 1) => places.map((place) => place[axis]).sort((a, b) => a - b)[places.length >> 1];
  return { name, x: axes.x(at(0)), y: axes.y(at(1)) + 5 };
}

/** Names moved down until none covers another. Those without room are left to the legend. */
function apart(middles: readonly Middle[], bottom: number): Middle[] {
  const placed: Middle[] = [];
  for (const middle of [...middles].sort((a, b) => a.y - b.y)) {
    let { y } = middle;
    for (const other of placed) {
      const reach = ((textWidth(middle.name) + textWidth(other.name)) / 2) * (NAME_SIZE / 12);
      if (Math.abs(middle.x - other.x) < reach && y - other.y < NAME_SIZE + 2) y = other.y + NAME_SIZE + 2;
    }
    if (y < bottom) placed.push({ ...middle, y });
    placed.sort((a, b) => a.y - b.y);
  }
  return placed;
}

const NAME_SIZE = 15;

function drawMiddle({ name, x, y }: Middle): string {
  return text(name, x, y, { class: 'text halo', 'text-anchor': 'middle', 'font-size': NAME_SIZE });
}

function drawEntry(k: number, name: string, y: number): string {
  return marksAt([[578, y]], k) + text(name, 592, y + 4);
}

import { formatNumber } from './numbers.ts';
import { element, text } from './svg.ts';

/** What an axis shows. */
interface Axis {
  /** What is measured, with its unit. */
  label: string;
  /** Least and greatest value; widened to round numbers unless `tight`. */
  domain: readonly [number, number];
  tight?: boolean;
  log?: boolean;
  /** Places of the marks, where round numbers are not wanted; the domain is then kept. */
  ticks?: readonly number[];
  format?: (value: number) => string;
}

/** The rectangle in which data are drawn. */
export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** Axes that have been drawn, and the maps from data to pixels. */
export interface Axes {
  svg: string;
  x: (value: number) => number;
  y: (value: number) => number;
}

/** Values that a figure can show; beyond 1e300 even differences overflow. */
export function isDrawable(value: number): boolean {
  return Math.abs(value) <= 1e300;
}

/**
 * Least and greatest of the drawable values; [0, 1] where there are none, widened where they are all alike.
 */
export function extent(values: Iterable<number>, include: readonly number[] = []): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  for (const list of [values, include]) {
    for (const value of list) {
      if (!isDrawable(value)) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  if (low > high) return [0, 1];
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (high - low > 1e-9 * size && high - low > 1e-290) return [low, high];
  const margin = size > 1e-280 ? size / 10 : 1;
  return [low - margin, high + margin];
}

/** Draws grid, frame, marks and labels around a box. */
export function drawAxes(box: Box, xAxis: Axis, yAxis: Axis): Axes {
  const bottom = box.top + box.height;
  const across = scale(xAxis, box.left, box.left + box.width, Math.max(2, box.width / 90));
  const up = scale(yAxis, bottom, box.top, Math.max(2, box.height / 36));
  const marks: string[] = [];
  for (const { at, name } of across.marks) {
    marks.push(element('path', { class: 'rule', d: `M${at} ${box.top}V${bottom}` }));
    marks.push(text(name, at, bottom + 16, { class: 'muted', 'text-anchor': 'middle' }));
  }
  for (const { at, name } of up.marks) {
    marks.push(element('path', { class: 'rule', d: `M${box.left} ${at}h${box.width}` }));
    marks.push(text(name, box.left - 6, at + 4, { class: 'muted', 'text-anchor': 'end' }));
  }
  const middle = box.top + box.height / 2;
  const svg = [
    ...marks,
    element('path', { class: 'frame', d: `M${box.left} ${box.top}V${bottom}h${box.width}` }),
    text(xAxis.label, box.left + box.width / 2, bottom + 34, { 'text-anchor': 'middle' }),
    text(yAxis.label, 0, 0, {
      'text-anchor': 'middle',
      transform: `translate(14 ${middle}) rotate(-90)`,
    }),
  ].join('');
  return { svg, x: across.map, y: up.map };
}

interface Scale {
  map: (value: number) => number;
  marks: { at: number; name: string }[];
}

function scale(axis: Axis, from: number, to: number, wanted: number): Scale {
  const { domain, log = false } = axis;
  const ticks = axis.ticks ?? (log ? roundDecades(domain, wanted) : roundSteps(domain, wanted));
  const keep = axis.ticks !== undefined || axis.tight === true;
  const [low, high] = keep ? domain : [ticks[0], ticks[ticks.length - 1]];
  const format = axis.format ?? (log && high / low > 1e6 ? formatPower : formatNumber);
  const unit = log ? Math.log10 : (value: number) => value;
  const start = unit(low);
  const span = unit(high) - start || 1;
  const map = (value: number) => {
    // A logarithmic axis has no place for 0: such values lie on its floor.
    const inside = Math.min(high, Math.max(low, value));
    return from + ((unit(inside) - start) / span) * (to - from);
  };
  const marks = ticks
    .filter((tick) => tick >= low && tick <= high)
    .map((tick) => ({ at: Math.round(map(tick) * 100) / 100, name: format(tick) }));
  return { map, marks };
}

/** Multiples of 1, 2 or 5 times a power of ten that enclose the domain. */
function roundSteps([least, most]: readonly [number, number], wanted: number): number[] {
  const raw = (most - least) / wanted;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= raw * 0.999) ?? 10);
  const first = Math.floor(least / step + 1e-9);
  const last = Math.ceil(most / step - 1e-9);
  // Dividing by the reciprocal keeps marks such as 0.3 free of rounding noise.
  const place = step < 1 ? (k: number) => k / Math.round(1 / step) : (k: number) => k * step;
  return Array.from({ length: last - first + 1 }, (_, k) => place(first + k));
}

/** Powers of ten that enclose the domain, with twice and five times them where there are few. */
function roundDecades([least, most]: readonly [number, number], wanted: number): number[] {
  const first = Math.floor(Math.log10(least) + 1e-9);
  const decades = Math.max(1, Math.ceil(Math.log10(most) - 1e-9) - first);
  const stride = Math.ceil(decades / wanted);
  const ticks: number[] = [];
  for (let k = first; ; k += stride) {
    ticks.push(Number(`1e${k}`));
    if (k >= first + decades) return ticks;
    if (decades <= 2) ticks.push(Number(`2e${k}`), Number(`5e${k}`));
  }
}

function formatPower(value: number): string {
  const exponent = String(Math.round(Math.log10(value)));
  return `10${[...exponent].map((sign) => SUPERSCRIPTS[sign] ?? sign).join('')}`;
}

const SUPERSCRIPTS: Record<string, string> = {
  ...Object.fromEntries([...'⁰¹²³⁴⁵⁶⁷⁸⁹'].map((sign, digit) => [String(digit), sign])),
  '-': '⁻',
};

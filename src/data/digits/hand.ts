import { GLYPHS, type GlyphStroke } from './glyphs.ts';
import type { Stream } from './stream.ts';

/**
 * A pen path in pixels: points close enough to be joined by straight lines, with the pen's radius at each.
 */
export interface PenPath {
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly radius: Float64Array;
}

interface WrittenDigit {
  readonly label: number;
  readonly strokes: readonly PenPath[];
  /** The grey value of full ink, up to 255. */
  readonly darkness: number;
}

/**
 * One digit as one hand writes it once: which digit, which way of writing it, and all that differs each time.
 */
export function writeDigit(stream: Stream, size: number): WrittenDigit {
  const label = stream.below(10);
  const variants = GLYPHS[label];
  const glyph = variants[stream.below(variants.length)];
  const darkness = Math.min(255, 248 + 14 * stream.bell());
  const thickness = Math.max(0.62, 1.12 + 0.33 * stream.bell());
  const place = choosePlacement(stream, size);
  const strokes = glyph.map((stroke) => tracePen(stream, trembled(stream, stroke), place, thickness));
  centre(stream, strokes, size);
  return { label, strokes, darkness };
}

type Placement = (x: number, y: number) => [x: number, y: number];

/**
 * From the glyph's unit box to pixels: a gentle bend, then size, proportion, slant and rotation. The bend is
 * a quadratic field over the whole box, so that strokes which meet still meet.
 */
function choosePlacement(stream: Stream, size: number): Placement {
  const bend = Array.from({ length: 6 }, () => 0.09 * stream.bell());
  const height = size * (0.65 + 0.045 * stream.bell());
  const width = height * (0.75 + 0.14 * stream.bell());
  const slant = 0.13 + 0.2 * stream.bell();
  // A rotation by twice the angle whose tangent is t: rational, hence exact everywhere.
  const t = 0.06 * stream.bell();
  const cos = (1 - t * t) / (1 + t * t);
  const sin = (2 * t) / (1 + t * t);
  return (x, y) => {
    const u = 2 * x - 1;
    const v = 2 * y - 1;
    const bentU = u + bend[0] * u * v + bend[1] * v * v + bend[2] * u * u;
    const bentV = v + bend[3] * u * v + bend[4] * u * u + bend[5] * v * v;
    const px = (width / 2) * bentU - slant * (height / 2) * bentV;
    const py = (height / 2) * bentV;
    return [cos * px - sin * py, sin * px + cos * py];
  };
}

/** The stroke with each of its points a little off. */
function trembled(stream: Stream, stroke: GlyphStroke): GlyphStroke {
  return { points: stroke.points.map((at) => at + 0.036 * stream.bell()), sharp: stroke.sharp };
}

const STEPS = 7;

/** The stroke as a smooth curve in pixels, with a pen that is pressed harder here than there. */
function tracePen(stream: Stream, stroke: GlyphStroke, place: Placement, thickness: number): PenPath {
  const spans = stroke.sharp.length - 1;
  const count = spans * STEPS + 1;
  const path = { x: new Float64Array(count), y: new Float64Array(count), radius: new Float64Array(count) };
  const pressure = Array.from({ length: spans + 1 }, () => thickness * (1 + 0.14 * stream.bell()));
  pressure[spans] *= stream.between(0.6, 1);
  for (let k = 0; k < count; k++) {
    const span = Math.min(spans - 1, Math.floor(k / STEPS));
    const t = (k - span * STEPS) / STEPS;
    const [x, y] = place(onCurve(stroke, span, t, 0), onCurve(stroke, span, t, 1));
    path.x[k] = x;
    path.y[k] = y;
    path.radius[k] = pressure[span] + (pressure[span + 1] - pressure[span]) * t;
  }
  return path;
}

/**
 * Coordinate 0 (x) or 1 (y) of the Catmull-Rom curve between points `span` and `span + 1`, cut at corners.
 */
function onCurve(stroke: GlyphStroke, span: number, t: number, axis: 0 | 1): number {
  const { points, sharp } = stroke;
  const at = (k: number) => points[2 * k + axis];
  const from = at(span);
  const to = at(span + 1);
  const before = span > 0 && !sharp[span] ? at(span - 1) : from;
  const after = span + 2 < sharp.length && !sharp[span + 1] ? at(span + 2) : to;
  const a = 3 * (from - to) + after - before;
  const b = 2 * before - 5 * from + 4 * to - after;
  return from + 0.5 * t * (to - before + t * (b + t * a));
}

/** Moves the ink so that its middle lies near the middle of the picture, as a careful writer would. */
function centre(stream: Stream, strokes: readonly PenPath[], size: number): void {
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const { x, y } of strokes) {
    for (let k = 0; k < x.length; k++) {
      left = Math.min(left, x[k]);
      right = Math.max(right, x[k]);
      top = Math.min(top, y[k]);
      bottom = Math.max(bottom, y[k]);
    }
  }
  const dx = (size - 1 - left - right) / 2 + 0.8 * stream.bell();
  const dy = (size - 1 - top - bottom) / 2 + 0.8 * stream.bell();
  for (const { x, y } of strokes) {
    for (let k = 0; k < x.length; k++) {
      x[k] += dx;
      y[k] += dy;
    }
  }
}

import { encode } from 'fast-png';
import { element } from './svg.ts';

/** Height and width in pixels of the picture that a row is. */
export interface ImageShape {
  readonly height: number;
  readonly width: number;
}

/** Rows of V values, flat, n x V. */
interface TileRows {
  readonly values: ArrayLike<number>;
  readonly V: number;
  /** Set if a row is a picture. Other rows are shown as a strip, folded into lines, up to a square. */
  readonly image?: ImageShape;
  /** The values of paper and of ink. Default [-1, 1]; values beyond are clipped, NaN (missing) is amber. */
  readonly range?: readonly [number, number];
}

/** How a row becomes a small picture: its cells, and its size on the figure. */
interface TileShape {
  readonly columns: number;
  readonly lines: number;
  readonly width: number;
  readonly height: number;
}

const LONGEST_LINE = 64;

export function tileShape(V: number, image?: ImageShape): TileShape {
  if (!(Number.isInteger(V) && V >= 1)) throw new RangeError(`V is ${V}; a row has at least one value`);
  if (!image && V > LONGEST_LINE ** 2) {
    const columns = Math.ceil(Math.sqrt(V));
    return { columns, lines: Math.ceil(V / columns), width: 2 * LONGEST_LINE, height: 2 * LONGEST_LINE };
  }
  if (!image) {
    const columns = Math.min(V, LONGEST_LINE);
    const lines = Math.ceil(V / columns);
    const cell = Math.max(2, Math.min(8, Math.floor(128 / columns)));
    return { columns, lines, width: columns * cell, height: lines * Math.max(cell, Math.ceil(14 / lines)) };
  }
  const { height, width } = image;
  if (height * width !== V) {
    throw new RangeError(
      `image is ${height} x ${width} = ${height * width} pixels, but a row has V = ${V} values`,
    );
  }
  const side = Math.max(height, width);
  const zoom = side > 96 ? 96 / side : Math.max(1, Math.floor(56 / side));
  return { columns: width, lines: height, width: width * zoom, height: height * zoom };
}

/** How many rows an array holds; an error where the last one is cut short. */
export function countRows(name: string, values: ArrayLike<number>, V: number): number {
  const n = values.length / V;
  if (Number.isInteger(n)) return n;
  throw new RangeError(`${name} has ${values.length} values, which is not a multiple of V = ${V}`);
}

/** Row i as a small framed picture with its top left corner at (x, y). */
export function drawTile(rows: TileRows, i: number, shape: TileShape, x: number, y: number): string {
  const { width, height } = shape;
  const sharp = width >= shape.columns && height >= shape.lines;
  const place = { x, y, width, height };
  return (
    element('image', {
      class: sharp ? 'picture pixels' : 'picture',
      ...place,
      preserveAspectRatio: 'none',
      href: tilePng(rows, i, shape),
    }) + element('rect', { class: 'rule', x: x - 0.5, y: y - 0.5, width: width + 1, height: height + 1 })
  );
}

/** Row i as the data address of a PNG: grey, amber where a value is missing, open past the end of a strip. */
function tilePng(rows: TileRows, i: number, shape: TileShape): string {
  const { values, V, range = [-1, 1] } = rows;
  const [paper, ink] = range;
  const data = new Uint8Array(4 * shape.columns * shape.lines);
  for (let v = 0; v < V; v++) {
    const value = values[i * V + v];
    const share = Math.min(1, Math.max(0, (value - paper) / (ink - paper)));
    const grey = Math.round(255 * (1 - share));
    data.set(Number.isNaN(share) ? AMBER : [grey, grey, grey, 255], 4 * v);
  }
  const png = encode({ width: shape.columns, height: shape.lines, data, channels: 4, depth: 8 });
  return `data:image/png;base64,${btoa(Array.from(png, (byte) => String.fromCharCode(byte)).join(''))}`;
}

const AMBER = [240, 170, 60, 255];

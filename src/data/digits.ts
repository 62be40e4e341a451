import { drawStroke } from './digits/draw.ts';
import { writeDigit } from './digits/hand.ts';
import { openStream } from './digits/stream.ts';

/**
 * The generated default data set: grey 28 x 28 pictures of ten hand-drawn-looking digits, made from strokes.
 *
 * Nothing is stored or fetched. A picture is a function of (seed, part, index) alone, so picture i is the
 * same however many are made. It is also the same on every machine: the generator uses only + - * / and the
 * square root, which IEEE 754 fixes to the last bit, and none of the functions (sine, exponential, powers)
 * that may differ between engines.
 */
export function digits(options: DigitOptions = {}): Digits {
  const { train = 10_000, test = 2_000, seed = 1 } = options;
  checkWhole('train', train, 0, 2 ** 31 - 1);
  checkWhole('test', test, 0, 2 ** 31 - 1);
  checkWhole('seed', seed, -(2 ** 31), 2 ** 32 - 1);
  return { train: makePart(seed, 0, train), test: makePart(seed, 1, test) };
}

export interface DigitOptions {
  /** How many pictures to learn from. Default 10,000. */
  train?: number;
  /** How many pictures to keep aside. Default 2,000. */
  test?: number;
  /** A 32-bit whole number. Default 1. */
  seed?: number;
}

export interface Digits {
  readonly train: DigitImages;
  readonly test: DigitImages;
}

export interface DigitImages {
  readonly n: number;
  readonly height: number;
  readonly width: number;
  /** n x (height * width), row after row: 0 is paper, 255 is ink. */
  readonly images: Uint8Array;
  /** The digit, 0 to 9, of each picture. */
  readonly labels: Uint8Array;
}

const SIZE = 28;

function makePart(seed: number, part: number, n: number): DigitImages {
  const pixels = SIZE * SIZE;
  const images = new Uint8Array(n * pixels);
  const labels = new Uint8Array(n);
  const ink = new Float64Array(pixels);
  for (let i = 0; i < n; i++) {
    const written = writeDigit(openStream(seed, part, i), SIZE);
    ink.fill(0);
    for (const stroke of written.strokes) drawStroke(ink, SIZE, stroke);
    labels[i] = written.label;
    for (let p = 0; p < pixels; p++) images[i * pixels + p] = Math.floor(written.darkness * ink[p] + 0.5);
  }
  return { n, height: SIZE, width: SIZE, images, labels };
}

function checkWhole(name: string, value: number, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw new RangeError(`digits: ${name} is ${value}; expected a whole number from ${least} to ${most}`);
}

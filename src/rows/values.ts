import { type Binarize, rowStream, sampleBytes, sampleUnit } from './binarize.ts';
import { type Candidate, FormatError, UnclearValues } from './errors.ts';
import { type Rows, rowBytes } from './rows.ts';
import { allBut } from './select.ts';

/**
 * What the numbers of a file stand for. The paper's entries live in [-1, 1] (Eq. 1); files hold
 *
 * - `bits`: 0 and 1;
 * - `signs`: numbers of [-1, 1] as they are, most often -1 and +1;
 * - `unit`: numbers of [0, 1], the probability of a one;
 * - `bytes`: 0 to 255, grey levels: a 255th of it is the probability of a one;
 * - `presence`: counts, ratings: 0 is a zero, anything else a one;
 * - `numbers`: no entries of rows but numbers of any size: codes, weights, masks, vectors.
 *
 * NaN is a missing entry in all of them; whoever needs every number of codes, weights or vectors refuses it.
 */
export type ValueKind = 'bits' | 'signs' | 'unit' | 'bytes' | 'presence' | 'numbers';

/** Numbers as a file holds them, row after row. */
export type Numbers = Uint8Array | Float32Array | Float64Array;

/** What has been seen among the numbers of a table: enough to tell what they stand for. */
export interface Census {
  zero: boolean;
  one: boolean;
  minusOne: boolean;
  /** Strictly between 0 and 1. */
  fraction: boolean;
  /** Strictly between -1 and 0. */
  negative: boolean;
  /** The largest number is 255 and everything else 0 or 255, 2..254, or none of it: 'ends', 'grey' or ''. */
  byte: '' | 'ends' | 'grey';
  /** The largest of those, and a column that holds it. */
  most: number;
  mostColumn?: number;
  /** The first column with a number below 0. */
  negativeColumn?: number;
  missing: boolean;
  /** The first number that fits no kind but presence. */
  other?: { readonly row: number; readonly column: number; readonly value: number };
}

/** How rows are made of numbers: decided once for a whole source. */
export interface Reading {
  readonly values: ValueKind;
  readonly binarize: Binarize;
  readonly seed: number;
  /** Only two different values occur, so rows are bits whatever `binarize` says. */
  readonly exact: boolean;
}

export function newCensus(): Census {
  return {
    zero: false,
    one: false,
    minusOne: false,
    fraction: false,
    negative: false,
    byte: '',
    most: 0,
    missing: false,
  };
}

/** Adds numbers to the census; they start at the given row. */
export function look(census: Census, numbers: Numbers, V: number, firstRow: number): void {
  if (numbers instanceof Uint8Array) {
    lookAtBytes(census, numbers, V);
    return;
  }
  let { zero, one, minusOne, fraction, negative, byte, most, missing } = census;
  let [mostAt, negativeAt] = [-1, -1];
  for (let k = 0; k < numbers.length; k++) {
    const x = numbers[k];
    if (x === 0) zero = true;
    else if (x === 1) one = true;
    else if (x > 0 && x < 1) fraction = true;
    else if (x < 0 && x >= -1) {
      if (x === -1) minusOne = true;
      else negative = true;
      if (negativeAt < 0) negativeAt = k;
    } else if (x > 1 && x <= 255 && Number.isInteger(x)) {
      byte = x < 255 ? 'grey' : byte || 'ends';
      if (x > most) [most, mostAt] = [x, k];
    } else if (Number.isNaN(x)) missing = true;
    else census.other ??= { row: firstRow + Math.floor(k / V), column: k % V, value: x };
  }
  Object.assign(census, { zero, one, minusOne, fraction, negative, byte, most, missing });
  if (mostAt >= 0) census.mostColumn = mostAt % V;
  if (negativeAt >= 0) census.negativeColumn ??= negativeAt % V;
}

/** The same for bytes, which cannot be anything odd: which of the 256 occur. */
function lookAtBytes(census: Census, bytes: Uint8Array, V: number): void {
  const occurs = new Uint8Array(256);
  for (let k = 0; k < bytes.length; k++) occurs[bytes[k]] = 1;
  if (occurs[0]) census.zero = true;
  if (occurs[1]) census.one = true;
  if (occurs[255]) census.byte ||= 'ends';
  if (occurs.subarray(2, 255).includes(1)) census.byte = 'grey';
  const most = occurs.lastIndexOf(1);
  if (most <= 1 || most <= census.most) return;
  census.most = most;
  census.mostColumn = bytes.indexOf(most) % V;
}

/** What the file says by itself about its numbers. */
export type NumberType = 'boolean' | 'image' | 'number';

/**
 * Decides how to read a table, or throws an error that names the option which decides it. Options given by the
 * user win; then what the format says; then what the numbers leave open, if that is only one thing.
 */
export function decideReading(
  file: string,
  type: NumberType,
  census: Census,
  options: {
    readonly values?: ValueKind;
    readonly binarize?: Binarize;
    readonly seed?: number;
  },
  columns?: ColumnNames,
): Reading {
  if (options.values !== undefined && !Object.hasOwn(EXPECTED, options.values)) {
    throw new RangeError(`values: found '${options.values}', expected ${Object.keys(EXPECTED).join(', ')}`);
  }
  if (options.values === 'numbers') return { values: 'numbers', binarize: 'none', seed: 0, exact: false };
  const values =
    type === 'boolean' ? 'bits' : (options.values ?? concludeValues(file, type, census, columns));
  if (values === 'bytes') refuseBlack(file, census);
  const exact = isExact(values, census);
  const binarize = exact ? 'none' : (options.binarize ?? (values === 'bytes' ? 'sample' : 'none'));
  return { values, binarize, seed: options.seed ?? 0, exact };
}

/** Grey levels that are told by nothing but 0 and 1 are bits, which somebody takes for grey levels. */
function refuseBlack(file: string, { one, minusOne, fraction, negative, byte, other }: Census): void {
  if (!one || minusOne || fraction || negative || byte || other) return;
  const found = 'holds 0 and 1 and nothing else, which are black as grey levels';
  throw new UnclearValues(file, '', `${found}: use --values bits`, undefined, [BITS]);
}

function concludeValues(
  file: string,
  type: NumberType,
  census: Census,
  columns: ColumnNames | undefined,
): ValueKind {
  const { minusOne, zero, fraction, negative, byte, most, other } = census;
  const named = (v: number | undefined) => (v === undefined ? 'one column' : columnPlace(v, columns));
  const leaveOut = (v = 0) => {
    const column = columns?.[v] ?? v;
    const counted = typeof column === 'number' ? ', which counts columns from 0' : '';
    return `leave the column out with --columns '${allBut(column)}'${counted}`;
  };
  const without = (v = 0): Candidate => ({
    flags: `--columns '${allBut(columns?.[v] ?? v)}'`,
    reading: `leave ${named(v)} out`,
  });
  if (other) {
    const place = `row ${other.row + 1}, ${named(other.column)}`;
    const found = `${other.value} is neither a bit nor a grey level`;
    const text = `${found}. ${HINT} Or ${leaveOut(other.column)}.`;
    throw new UnclearValues(file, place, text, undefined, [PRESENCE, SIGNS, without(other.column)]);
  }
  if (byte) {
    if (minusOne || fraction || negative) {
      throw new UnclearValues(
        file,
        '',
        `holds fractions or negative numbers beside numbers above 1 (${most} in ${named(census.mostColumn)}). ` +
          `${HINT} Or ${leaveOut(census.mostColumn)}.`,
        undefined,
        [PRESENCE, SIGNS, without(census.mostColumn)],
      );
    }
    if (type === 'image') return 'bytes';
    throw new UnclearValues(
      file,
      '',
      `holds whole numbers up to ${most} (in ${named(census.mostColumn)}), which may be answers or other categories ` +
        '(--categorical), counts (--values presence), grey levels (--values bytes) or, in an NPY file of ' +
        `bytes, eight bits each (--values packed). Say which, or ${leaveOut(census.mostColumn)}.`,
      undefined,
      [CATEGORIES, PRESENCE, BYTES, without(census.mostColumn)],
    );
  }
  if (negative || (minusOne && fraction)) {
    throw new UnclearValues(
      file,
      '',
      `holds numbers between -1 and 1 (below 0 in ${named(census.negativeColumn)}). Use --values signs to take each as ` +
        'the mean of a bit, and add --binarize threshold to keep only the signs.',
      undefined,
      [{ flags: '--values signs', reading: 'each is the mean of a bit' }, SIGNS],
    );
  }
  if (minusOne && zero) {
    throw new UnclearValues(
      file,
      '',
      `holds -1, 0 and 1 (-1 in ${named(census.negativeColumn)}). Say what they are: --missing 0 or --missing -1 if that ` +
        'number stands for an unknown entry, --values signs if 0 is a bit as likely to be on as off.',
      undefined,
      [
        { flags: '--missing 0', reading: '0 is a missing entry' },
        { flags: '--missing -1', reading: '-1 is a missing entry' },
        { flags: '--values signs', reading: '0 is a bit as likely to be on as off' },
      ],
    );
  }
  if (minusOne) return 'signs';
  return fraction ? 'unit' : 'bits';
}

const BITS: Candidate = { flags: '--values bits', reading: 'they are bits' };
const PRESENCE: Candidate = { flags: '--values presence', reading: 'every number but 0 is a one' };
const SIGNS: Candidate = { flags: '--values signs --binarize threshold', reading: 'only the signs count' };
const BYTES: Candidate = { flags: '--values bytes', reading: 'they are grey levels' };
/** For tables: all columns that hold more than bits. */
export const CATEGORIES: Candidate = { flags: '--categorical', reading: 'columns like it hold categories' };

const HINT =
  'Expected are 0 and 1, -1 and 1, true and false, or numbers from 0 to 1; --values presence takes every ' +
  'number but 0 as a one, --values signs with --binarize threshold takes signs, and pcae train --values vectors learns codes for embeddings.';

function isExact(values: ValueKind, census: Census): boolean {
  const { zero, one, minusOne, fraction, negative, byte, other } = census;
  if (values === 'bits' || values === 'presence') return true;
  if (other || fraction || negative) return false;
  if (values === 'bytes') return !one && !minusOne && byte !== 'grey';
  return !byte && !(values === 'signs' ? zero : minusOne);
}

/** Whether rows of this reading are bits (otherwise real values). */
export function readsBits(reading: Reading): boolean {
  return reading.exact || reading.binarize !== 'none';
}

/** Turns numbers of whole rows into rows; `firstRow` is the number of the first one in its file. */
export function readNumbers(
  file: string,
  numbers: Numbers,
  V: number,
  firstRow: number,
  reading: Reading,
  columns?: ColumnNames,
): Rows {
  const n = V === 0 ? 0 : numbers.length / V;
  const refuse = (k: number): never => {
    const place = `row ${firstRow + Math.floor(k / V) + 1}, ${columnPlace(k % V, columns)}`;
    throw new FormatError(file, place, `found ${numbers[k]}, expected ${EXPECTED[reading.values]}`);
  };
  if (readsBits(reading)) return readBits(numbers, n, V, firstRow, reading, refuse);
  const values = new Float32Array(numbers.length);
  for (let k = 0; k < numbers.length; k++) {
    if (reading.values === 'numbers') {
      values[k] = Math.abs(numbers[k]) < Infinity || Number.isNaN(numbers[k]) ? numbers[k] : refuse(k);
      continue;
    }
    const p = probability(numbers[k], reading);
    if (p < 0 || p > 1) refuse(k);
    values[k] = 2 * p - 1;
  }
  return { kind: 'real', n, V, values };
}

function readBits(
  x: Numbers,
  n: number,
  V: number,
  firstRow: number,
  how: Reading,
  refuse: (k: number) => never,
): Rows {
  const stride = rowBytes(V);
  const bits = new Uint8Array(n * stride);
  if (how.values === 'bits' && x instanceof Uint8Array && packBytes(x, n, V, bits))
    return { kind: 'bits', n, V, bits };
  const sample = how.binarize === 'sample';
  const signsOnly = how.values === 'signs' && how.binarize === 'threshold';
  let known: Uint8Array | undefined;
  for (let i = 0; i < n; i++) {
    const stream = sample ? rowStream(how.seed, firstRow + i) : undefined;
    if (stream && how.values === 'bytes' && isGrey(x, i * V, V)) {
      sampleBytes(x, i * V, V, stream, bits, i * stride);
      continue;
    }
    for (let v = 0; v < V; v++) {
      const value = x[i * V + v];
      const p = probability(value, how);
      const at = i * stride + (v >> 3);
      if (Number.isNaN(p)) {
        known ??= allKnown(n, V);
        known[at] &= ~(1 << (v & 7));
        continue;
      }
      const outside = signsOnly
        ? !Number.isFinite(value)
        : p < 0 || p > 1 || (how.exact && p !== 0 && p !== 1);
      if (outside) refuse(i * V + v);
      if (stream ? sampleUnit(p, stream) : p > 0.5) bits[at] |= 1 << (v & 7);
    }
  }
  return known ? { kind: 'bits', n, V, bits, known } : { kind: 'bits', n, V, bits };
}

/** Packs bytes 0 and 1, the common case; false (and `bits` cleared) where another number is among them. */
function packBytes(x: Uint8Array, n: number, V: number, bits: Uint8Array): boolean {
  const stride = rowBytes(V);
  let all = 0;
  for (let i = 0; i < n; i++) {
    const row = i * V;
    for (let v = 0; v < V; v += 8) {
      let byte = 0;
      for (let j = Math.min(7, V - 1 - v); j >= 0; j--) {
        const bit = x[row + v + j];
        all |= bit;
        byte = (byte << 1) | bit;
      }
      bits[i * stride + (v >> 3)] = byte;
    }
  }
  if (all > 1) bits.fill(0);
  return all <= 1;
}

/** Whether one row is whole grey levels, with nothing missing. */
function isGrey(x: Numbers, from: number, V: number): boolean {
  if (x instanceof Uint8Array) return true;
  for (let k = from; k < from + V; k++)
    if (!(x[k] >= 0 && x[k] <= 255 && Number.isInteger(x[k]))) return false;
  return true;
}

/** The probability of a one; outside [0, 1] when the number has no business there. */
function probability(x: number, reading: Reading): number {
  switch (reading.values) {
    case 'signs':
      return (1 + x) / 2;
    case 'bytes':
      return x / 255;
    case 'presence':
      return Number.isNaN(x) ? x : x === 0 ? 0 : 1;
    default:
      return x;
  }
}

/** A mask that knows everything: ones, but for the spare bits at the end of each row. */
export function allKnown(n: number, V: number): Uint8Array {
  const stride = rowBytes(V);
  const known = new Uint8Array(n * stride).fill(255);
  if (V & 7) for (let i = 1; i <= n; i++) known[i * stride - 1] = (1 << (V & 7)) - 1;
  return known;
}

const EXPECTED: Record<ValueKind, string> = {
  bits: '0 or 1 (--values bits)',
  signs: 'a number from -1 to 1 (--values signs)',
  unit: 'a number from 0 to 1 (--values unit)',
  bytes: 'a number from 0 to 255 (--values bytes)',
  presence: 'a number (--values presence)',
  numbers: 'a finite number',
};

/** What the columns are called: their names or, where they have none, their numbers in the file, from 0. */
export type ColumnNames = readonly (string | number)[];

/** What to call a column in a message, where people count from 1. */
export function columnPlace(v: number, columns?: ColumnNames): string {
  const column = columns?.[v] ?? v;
  return typeof column === 'string' ? `column '${column}'` : `column ${column + 1}`;
}

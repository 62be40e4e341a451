import { type Binarize, rowStream, sampleBytes, sampleUnit } from './binarize.ts';
import { FormatError } from './errors.ts';
import { allKnown, type Rows, rowBytes } from './rows.ts';

/**
 * What the numbers of a file stand for. The paper's entries live in [-1, 1] (Eq. 1); files hold
 *
 * - `bits`: 0 and 1;
 * - `signs`: numbers of [-1, 1] as they are, most often -1 and +1;
 * - `unit`: numbers of [0, 1], the probability of a one;
 * - `bytes`: grey levels from 0 to 255; a 255th of one is the probability of a one;
 * - `presence`: counts or ratings; 0 is a zero, anything else a one;
 * - `numbers`: not entries of rows but numbers of any size: codes, weights, masks, vectors.
 *
 * NaN is a missing entry in all of them. Callers that read codes, weights or vectors refuse it where they
 * need every number.
 */
export type ValueKind = 'bits' | 'signs' | 'unit' | 'bytes' | 'presence' | 'numbers';

/** Numbers as a file holds them, row after row. */
export type Numbers = Uint8Array | Float32Array | Float64Array;

/** How numbers become rows, decided once for a whole source. */
export interface Reading {
  readonly values: ValueKind;
  readonly binarize: Binarize;
  readonly seed: number;
  /** Only two different values occur, so that rows are bits whatever `binarize` says. */
  readonly exact: boolean;
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

/** Packs bytes 0 and 1, the common case. Returns false, with `bits` cleared, if another number occurs. */
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

/** Whether a row holds only whole grey levels, with nothing missing. */
function isGrey(x: Numbers, from: number, V: number): boolean {
  if (x instanceof Uint8Array) return true;
  for (let k = from; k < from + V; k++)
    if (!(x[k] >= 0 && x[k] <= 255 && Number.isInteger(x[k]))) return false;
  return true;
}

/** The probability of a one; outside [0, 1] if the number is not allowed. */
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

/** What an entry of each kind may be, for messages. */
export const EXPECTED: Record<ValueKind, string> = {
  bits: '0 or 1 (--values bits)',
  signs: 'a number from -1 to 1 (--values signs)',
  unit: 'a number from 0 to 1 (--values unit)',
  bytes: 'a number from 0 to 255 (--values bytes)',
  presence: 'a number (--values presence)',
  numbers: 'a finite number',
};

/** The columns' names or, for columns without one, their numbers in the file, from 0. */
export type ColumnNames = readonly (string | number)[];

/** A column in a message, where numbers count from 1. */
export function columnPlace(v: number, columns?: ColumnNames): string {
  const column = columns?.[v] ?? v;
  return typeof column === 'string' ? `column '${column}'` : `column ${column + 1}`;
}

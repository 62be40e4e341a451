import type { Binarize } from './binarize.ts';
import { type Candidate, UnclearValues } from './errors.ts';
import { allBut } from './select.ts';
import type { ColumnNames, Numbers, Reading, ValueKind } from './values.ts';
import { columnPlace, EXPECTED } from './values.ts';

/** What occurs among the numbers of a table: enough to decide what they stand for. */
export interface Census {
  zero: boolean;
  one: boolean;
  minusOne: boolean;
  /** Strictly between 0 and 1. */
  fraction: boolean;
  /** Strictly between -1 and 0. */
  negative: boolean;
  /** Whole numbers above 1: 'ends' when 255 is the only one, 'grey' when others occur, '' when none does. */
  byte: '' | 'ends' | 'grey';
  /** The largest of these whole numbers, and a column that holds it. */
  most: number;
  mostColumn?: number;
  /** The first column with a number below 0. */
  negativeColumn?: number;
  missing: boolean;
  /** The first number that fits no kind but presence. */
  other?: { readonly row: number; readonly column: number; readonly value: number };
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

/** Bytes need no tests of each number: it is enough to know which of the 256 occur. */
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

/** What a file's own format says about its numbers. */
export type NumberType = 'boolean' | 'image' | 'number';

/**
 * Decides how to read a table. The user's options come first, then what the format says, then what the
 * numbers themselves show. When several readings remain possible, the error names the options that choose
 * between them.
 */
export function decideReading(
  file: string,
  type: NumberType,
  census: Census,
  options: {
    readonly values?: ValueKind;
    readonly binarize?: Binarize;
    readonly seed?: number;
    /** Whether the format can hold eight bits in a byte. */
    readonly packable?: boolean;
  },
  columns?: ColumnNames,
): Reading {
  if (options.values !== undefined && !Object.hasOwn(EXPECTED, options.values)) {
    throw new RangeError(`values: found '${options.values}', expected ${Object.keys(EXPECTED).join(', ')}`);
  }
  if (options.values === 'numbers') return { values: 'numbers', binarize: 'none', seed: 0, exact: false };
  const values =
    type === 'boolean'
      ? 'bits'
      : (options.values ?? concludeValues(file, type, census, columns, options.packable));
  if (values === 'bytes') refuseBlack(file, census);
  const exact = isExact(values, census);
  const binarize = exact ? 'none' : (options.binarize ?? (values === 'bytes' ? 'sample' : 'none'));
  return { values, binarize, seed: options.seed ?? 0, exact };
}

/** Bits that somebody declared to be grey levels: 0 and 1 of 255 would both be black. */
function refuseBlack(file: string, { one, minusOne, fraction, negative, byte, other }: Census): void {
  if (!one || minusOne || fraction || negative || byte || other) return;
  const found = 'holds only 0 and 1, which would all be black as grey levels';
  throw new UnclearValues(file, '', `${found}: use --values bits`, undefined, [BITS]);
}

/** The one kind that fits all numbers. An error when none does, or several do. */
function concludeValues(
  file: string,
  type: NumberType,
  census: Census,
  columns: ColumnNames | undefined,
  packable: boolean | undefined,
): ValueKind {
  const { minusOne, zero, fraction, negative, byte, most, mostColumn, negativeColumn, other } = census;
  const named = (v: number | undefined) => (v === undefined ? 'one column' : columnPlace(v, columns));
  const withoutIt = (v = 0) => `--columns '${allBut(columns?.[v] ?? v)}'`;
  const leaveOut = (v = 0) => {
    const counted = typeof (columns?.[v] ?? v) === 'number' ? ', which counts columns from 0' : '';
    return `leave the column out with ${withoutIt(v)}${counted}`;
  };
  const without = (v = 0): Candidate => ({ flags: withoutIt(v), reading: `leave ${named(v)} out` });
  const unclear = (found: string, candidates: readonly Candidate[], place = '') =>
    new UnclearValues(file, place, found, undefined, candidates);

  if (other) {
    throw unclear(
      `${Number(other.value.toPrecision(7))} is neither a bit nor a grey level. ${HINT} Or ${leaveOut(other.column)}.`,
      [PRESENCE, SIGNS, without(other.column)],
      `row ${other.row + 1}, ${named(other.column)}`,
    );
  }
  if (byte && (minusOne || fraction || negative)) {
    throw unclear(
      `holds fractions or negative numbers beside numbers above 1 (${most} in ${named(mostColumn)}). ` +
        `${HINT} Or ${leaveOut(mostColumn)}.`,
      [PRESENCE, SIGNS, without(mostColumn)],
    );
  }
  if (byte && type === 'image') return 'bytes';
  if (byte) {
    throw unclear(
      `holds whole numbers up to ${most} (in ${named(mostColumn)}), which may be answers or other categories ` +
        `(--categorical), counts (--values presence), grey levels (--values bytes)${packable ? ' or eight bits each (--values packed)' : ''}. ` +
        `Say which, or ${leaveOut(mostColumn)}.`,
      [CATEGORIES, PRESENCE, BYTES, without(mostColumn)],
    );
  }
  if (negative || (minusOne && fraction)) {
    throw unclear(
      `holds numbers between -1 and 1 (below 0 in ${named(negativeColumn)}). Use --values signs to take each as ` +
        'the mean of a bit, and add --binarize threshold to keep only the signs.',
      [{ flags: '--values signs', reading: 'each is the mean of a bit' }, SIGNS],
    );
  }
  if (minusOne && zero) {
    throw unclear(
      `holds -1, 0 and 1 (-1 in ${named(negativeColumn)}). Say what they are: --missing 0 or --missing -1 if that ` +
        'number stands for an unknown entry, --values signs if 0 is a bit as likely to be on as off.',
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

/** Whether only two different values occur, so that nothing has to be drawn or rounded. */
function isExact(values: ValueKind, census: Census): boolean {
  const { zero, one, minusOne, fraction, negative, byte, other } = census;
  if (values === 'bits' || values === 'presence') return true;
  if (other || fraction || negative) return false;
  if (values === 'bytes') return !one && !minusOne && byte !== 'grey';
  return !byte && !(values === 'signs' ? zero : minusOne);
}

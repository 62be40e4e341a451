import { counted } from '../rows/counted.ts';
import type { Flat } from './flat.ts';

/** A column of an Arrow table, or what a column of lists is made of. */
export interface ArrowField {
  readonly name: string;
  readonly type: ArrowType;
  readonly children: readonly ArrowField[];
  /** The dictionary that its values are places in, and how those are stored. */
  readonly dictionary?: { readonly id: number; readonly places: ArrowType };
}

/**
 * How values are stored, as far as it matters for reading bits and names: `other` ones are passed over, so
 * that a table may have such columns beside those that are read. Widths are in bytes.
 */
export type ArrowType =
  | { readonly kind: 'null' | 'bool' | 'struct' | 'views' | 'runs' }
  | { readonly kind: 'int'; readonly width: 1 | 2 | 4 | 8; readonly signed: boolean }
  | { readonly kind: 'float'; readonly width: 2 | 4 | 8 }
  | { readonly kind: 'decimal'; readonly width: number; readonly scale: number }
  | { readonly kind: 'text' | 'list' | 'binary' | 'map'; readonly wide: boolean }
  | { readonly kind: 'fixedList'; readonly size: number }
  | { readonly kind: 'other'; readonly buffers: number };

const LITTLE = 0;
const MAX_DEPTH = 16;

/** The columns that a schema lists. */
export function readSchema(flat: Flat, reference: number): ArrowField[] {
  if (flat.number(reference, 0, 'int16') !== LITTLE) throw new Error('its numbers are big-endian');
  // A field takes more bytes than this, and so does its name: fields that contain each other would go on for
  // ever.
  const left = { bytes: 2 * flat.length };
  return flat.vector(reference, 1, 4).map((field) => readField(flat, field, 0, left));
}

function readField(flat: Flat, reference: number, depth: number, left: { bytes: number }): ArrowField {
  const name = flat.text(reference, 0);
  left.bytes -= 16 + name.length;
  if (depth > MAX_DEPTH || left.bytes < 0) throw new Error('the fields are nested without end');
  const type = readType(flat, reference);
  const children = flat.vector(reference, 5, 4).map((child) => readField(flat, child, depth + 1, left));
  const expected = CHILDREN[type.kind];
  if (expected !== undefined && children.length !== expected)
    throw new Error(`a field of type ${type.kind} has ${children.length} fields in it`);
  const encoding = flat.field(reference, 4);
  if (!encoding) return { name, type, children };
  const id = flat.number(encoding, 0, 'int64');
  const index = flat.field(encoding, 1);
  const places = index ? readInt(flat, index) : ({ kind: 'int', width: 4, signed: true } as const);
  return { name, type, children, dictionary: { id, places } };
}

/** How many fields a field is made of, where that is fixed. */
const CHILDREN: { readonly [K in ArrowType['kind']]?: number } = {
  ...{ null: 0, bool: 0, int: 0, float: 0, decimal: 0, text: 0, binary: 0, views: 0, other: 0 },
  ...{ list: 1, fixedList: 1, map: 1, runs: 2 },
};

/** The type of a field, by its number in the format's list of types. */
function readType(flat: Flat, reference: number): ArrowType {
  const number = flat.number(reference, 2, 'uint8');
  const place = flat.field(reference, 3);
  switch (number) {
    case 1:
      return { kind: 'null' };
    case 2:
      return readInt(flat, place);
    case 3:
      return { kind: 'float', width: oneOf([2, 4, 8] as const, 2 << flat.number(place, 0, 'int16')) };
    case 4:
    case 19:
      return { kind: 'binary', wide: number === 19 };
    case 5:
    case 20:
      return { kind: 'text', wide: number === 20 };
    case 6:
      return { kind: 'bool' };
    case 7: {
      const width = oneOf([4, 8, 16, 32] as const, flat.number(place, 2, 'int32', 128) / 8);
      return { kind: 'decimal', width, scale: flat.number(place, 1, 'int32') };
    }
    // Days in four bytes or milliseconds in eight; times of a day in as many bits as they say.
    case 8:
      return { kind: 'int', width: flat.number(place, 0, 'int16', 1) === 0 ? 4 : 8, signed: true };
    case 9:
      return {
        kind: 'int',
        width: oneOf([4, 8] as const, flat.number(place, 1, 'int32', 32) / 8),
        signed: true,
      };
    case 10:
    case 18:
      return { kind: 'int', width: 8, signed: true };
    case 11:
    case 15:
      return { kind: 'other', buffers: 2 };
    case 12:
    case 21:
      return { kind: 'list', wide: number === 21 };
    case 13:
      return { kind: 'struct' };
    case 16:
      return { kind: 'fixedList', size: flat.number(place, 0, 'int32') };
    case 17:
      return { kind: 'map', wide: false };
    case 22:
      return { kind: 'runs' };
    case 23:
    case 24:
      return { kind: 'views' };
    default:
      throw new Error(`columns of type number ${number} (unions, views of lists) are not read`);
  }
}

function readInt(flat: Flat, reference: number): ArrowType {
  const width = oneOf([1, 2, 4, 8] as const, flat.number(reference, 0, 'int32') / 8);
  return { kind: 'int', width, signed: flat.number(reference, 1, 'uint8') === 1 };
}

function oneOf<T extends number>(known: readonly T[], found: number): T {
  const width = known.find((one) => one === found);
  if (width === undefined) throw new Error(`numbers of ${counted(8 * found, 'bit')} are not known`);
  return width;
}

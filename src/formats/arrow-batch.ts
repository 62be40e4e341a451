import { counted } from '../rows/counted.ts';
import { BatchBuffers } from './arrow-buffers.ts';
import type { ArrowField, ArrowType } from './arrow-schema.ts';
import { elementReader } from './elements.ts';
import type { Flat } from './flat.ts';

/** The values of a column, or of what its lists are made of, in one batch. */
export interface ArrowValues {
  readonly length: number;
  at(i: number): unknown;
}

type Dictionaries = ReadonlyMap<number, readonly unknown[]>;

/**
 * The columns of a record batch. `header` describes it: how many values each field has, and where its buffers
 * lie in `body`. A claimed length is believed once the bytes for it have been seen; no more than `maxBytes`
 * are unpacked.
 */
export function readBatch(
  header: { readonly flat: Flat; readonly reference: number },
  body: Uint8Array,
  fields: readonly ArrowField[],
  dictionaries: Dictionaries,
  maxBytes: number,
): { n: number; columns: ArrowValues[] } {
  const buffers = new BatchBuffers(header.flat, header.reference, body, maxBytes);
  const n = header.flat.number(header.reference, 0, 'int64');
  const columns = fields.map((field) => readValues(field, buffers, dictionaries));
  for (const { length } of columns)
    if (length !== n)
      throw new Error(`a column has ${counted(length, 'value')} where there are ${counted(n, 'row')}`);
  // Of values for which nothing is stored, some more than there are bits in the batch are believed.
  if (buffers.unstored > 65_536 + 8 * buffers.size)
    throw new Error(
      `${counted(buffers.unstored, 'value')} are claimed to be in ${counted(buffers.size, 'byte')}`,
    );
  return { n, columns };
}

function readValues(field: ArrowField, buffers: BatchBuffers, dictionaries: Dictionaries): ArrowValues {
  if (!field.dictionary) return readPlain(field, buffers, dictionaries);
  const { id, places } = field.dictionary;
  const words = dictionaries.get(id);
  if (!words) throw new Error(`the dictionary ${id} of column ${field.name} is missing`);
  const { length, at } = readPlain({ ...field, type: places, children: [] }, buffers, dictionaries);
  return {
    length,
    at(i) {
      const place = at(i);
      if (place === null) return null;
      if (!((place as number) >= 0 && (place as number) < words.length))
        throw new Error(`row ${i + 1} has the value number ${place} of ${words.length}`);
      return words[place as number];
    },
  };
}

/** What stands for a value that is neither a number, a text nor a list of such. */
const UNREAD = Object.freeze({});

function readPlain(field: ArrowField, buffers: BatchBuffers, dictionaries: Dictionaries): ArrowValues {
  const { type } = field;
  const length = buffers.length();
  if (type.kind === 'null' || type.kind === 'runs') {
    buffers.unstored = Math.max(buffers.unstored, length);
    for (const child of field.children) readValues(child, buffers, dictionaries);
    return { length, at: () => (type.kind === 'null' ? null : UNREAD) };
  }
  const known = buffers.validity(length);
  const value = readKnown(field, length, buffers, dictionaries);
  return { length, at: (i) => (known(i) ? value(i) : null) };
}

/** Reads the values of a field, of which each is known. */
function readKnown(
  { type, children }: ArrowField,
  length: number,
  buffers: BatchBuffers,
  dictionaries: Dictionaries,
): (i: number) => unknown {
  const child = () => readValues(children[0], buffers, dictionaries);
  switch (type.kind) {
    case 'bool': {
      const bits = buffers.buffer(length / 8);
      return (i) => ((bits.getUint8(i >> 3) >> (i & 7)) & 1) === 1;
    }
    case 'int':
      return readInts(type, buffers.buffer(length * type.width));
    case 'float': {
      const read = elementReader(buffers.buffer(length * type.width), `f${type.width}`, true);
      return (i) => read(i * type.width);
    }
    case 'decimal':
      return readDecimals(type, buffers.buffer(length * type.width));
    case 'text':
    case 'binary': {
      const range = readRanges(length, type.wide, buffers);
      const letters = buffers.bytes();
      const decoder = new TextDecoder();
      return (i) => {
        const [from, to] = range(i, letters.length);
        return type.kind === 'text' ? decoder.decode(letters.subarray(from, to)) : UNREAD;
      };
    }
    case 'views':
      return readViews(length, buffers);
    case 'list':
    case 'map': {
      const range = readRanges(length, type.wide, buffers);
      const values = child();
      return (i) => {
        const [from, to] = range(i, values.length);
        return type.kind === 'list' ? listOf(values, from, to) : UNREAD;
      };
    }
    case 'fixedList': {
      const { size } = type;
      const values = child();
      if (!(size >= 0 && size * length <= values.length))
        throw new Error(
          `${length} lists of ${counted(size, 'value')} go beyond their ${counted(values.length, 'value')}`,
        );
      return (i) => listOf(values, i * size, (i + 1) * size);
    }
    case 'struct':
      for (const part of children) readValues(part, buffers, dictionaries);
      return () => UNREAD;
    default:
      for (let k = 1; type.kind === 'other' && k < type.buffers; k++) buffers.bytes();
      return () => UNREAD;
  }
}

function listOf(values: ArrowValues, from: number, to: number): unknown[] {
  return Array.from({ length: to - from }, (_, k) => values.at(from + k));
}

/** Whole numbers; those of eight bytes stay what they are where a number would round them. */
function readInts(type: ArrowType & { kind: 'int' }, view: DataView): (i: number) => number | bigint {
  const { width, signed } = type;
  if (width === 8) {
    return (i) => {
      const value = signed ? view.getBigInt64(8 * i, true) : view.getBigUint64(8 * i, true);
      return Number.isSafeInteger(Number(value)) ? Number(value) : value;
    };
  }
  const read = elementReader(view, signed ? `i${width}` : `u${width}`, true);
  return (i) => read(i * width);
}

function readDecimals(type: ArrowType & { kind: 'decimal' }, view: DataView): (i: number) => number {
  const { width, scale } = type;
  return (i) => {
    let value = 0n;
    for (let at = width - 4; at >= 0; at -= 4)
      value = value * 2n ** 32n + BigInt(view.getUint32(i * width + at, true));
    return Number(BigInt.asIntN(8 * width, value)) / 10 ** scale;
  };
}

/** Where each of a row of lists or texts begins and ends: they lie one after the other, none reaches back. */
function readRanges(
  length: number,
  wide: boolean,
  buffers: BatchBuffers,
): (i: number, most: number) => [number, number] {
  const width = wide ? 8 : 4;
  const offsets = buffers.buffer(length === 0 ? 0 : (length + 1) * width);
  const read = elementReader(offsets, wide ? 'i8' : 'i4', true);
  return (i, most) => {
    const [from, to] = [read(i * width), read((i + 1) * width)];
    if (!(from >= 0 && to >= from && to <= most))
      throw new Error(`row ${i + 1} takes ${from} to ${to} of the ${counted(most, 'value')} that there are`);
    return [from, to];
  };
}

/** Texts of up to 12 bytes in place, or where longer ones lie among further buffers. */
function readViews(length: number, buffers: BatchBuffers): (i: number) => string {
  const views = buffers.buffer(length * 16);
  const letters = Array.from({ length: buffers.variadicCount() }, () => buffers.bytes());
  const decoder = new TextDecoder();
  // Texts may share their letters; what all of them take together is limited all the same.
  let total = 0;
  for (let i = 0; i < length; i++) total += views.getUint32(16 * i, true);
  if (total > buffers.maxBytes) throw new Error(`its texts have ${total} letters`);
  return (i) => {
    const size = views.getInt32(16 * i, true);
    const short = size <= 12;
    const from = short ? 16 * i + 4 : views.getInt32(16 * i + 12, true);
    const bytes = short
      ? new Uint8Array(views.buffer, views.byteOffset, views.byteLength)
      : letters[views.getInt32(16 * i + 8, true)];
    if (!(size >= 0 && from >= 0 && bytes && from + size <= bytes.length))
      throw new Error(`the text of row ${i + 1} goes beyond its buffer`);
    return decoder.decode(bytes.subarray(from, from + size));
  };
}

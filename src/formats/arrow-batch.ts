import { decompressZstd } from 'hyparquet-compressors';
import { counted } from '../rows/counted.ts';
import type { ArrowField, ArrowType } from './arrow-schema.ts';
import { elementReader } from './elements.ts';
import type { Flat } from './flat.ts';
import { unpackLz4 } from './lz4-frame.ts';

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
  const parts = new Parts(header.flat, header.reference, body, maxBytes);
  const n = header.flat.number(header.reference, 0, 'int64');
  const columns = fields.map((field) => readValues(field, parts, dictionaries));
  for (const { length } of columns)
    if (length !== n)
      throw new Error(`a column has ${counted(length, 'value')} where there are ${counted(n, 'row')}`);
  // Of values for which nothing is stored, some more than there are bits in the batch are believed.
  if (parts.unstored > 65_536 + 8 * parts.size)
    throw new Error(
      `${counted(parts.unstored, 'value')} are claimed to be in ${counted(parts.size, 'byte')}`,
    );
  return { n, columns };
}

/** The lengths and buffers of a batch, in the order in which fields take them. */
class Parts {
  private readonly flat: Flat;
  private readonly body: Uint8Array;
  private readonly nodes: readonly number[];
  private readonly places: readonly number[];
  private readonly variadic: readonly number[];
  private readonly codec: number | undefined;
  readonly maxBytes: number;
  private next = { node: 0, buffer: 0, variadic: 0 };
  /** Bytes of buffers so far, as they are in the file. */
  private taken = 0;
  /** Bytes of the batch with what was unpacked so far. */
  size: number;
  /** The most values of a field that has no buffer to prove them. */
  unstored = 0;

  constructor(flat: Flat, reference: number, body: Uint8Array, maxBytes: number) {
    this.flat = flat;
    this.body = body;
    this.nodes = flat.vector(reference, 1, 16);
    this.places = flat.vector(reference, 2, 16);
    this.variadic = flat.vector(reference, 4, 8);
    const compression = flat.field(reference, 3);
    this.codec = compression ? flat.number(compression, 0, 'uint8') : undefined;
    this.maxBytes = maxBytes;
    this.size = body.length;
  }

  /** The length of the next field. */
  length(): number {
    const place = this.nodes[this.next.node++];
    if (place === undefined) throw new Error('a field has no length');
    const length = this.flat.int64(place);
    if (!(Number.isSafeInteger(length) && length >= 0))
      throw new Error(`a field claims ${counted(length, 'value')}`);
    return length;
  }

  /** The next buffer, of which at least so many bytes are needed. */
  buffer(needed: number): DataView {
    const bytes = this.bytes();
    if (!(bytes.length >= needed))
      throw new Error(`a buffer has ${counted(bytes.length, 'byte')} where values need ${needed}`);
    return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  /** Which of the next values are known: a bit for each, or no bits where all are. */
  validity(length: number): (i: number) => boolean {
    const bits = this.bytes();
    if (bits.length === 0) return () => true;
    if (bits.length < length / 8)
      throw new Error(`${counted(bits.length, 'byte')} say which of ${counted(length, 'value')} are known`);
    return (i) => ((bits[i >> 3] >> (i & 7)) & 1) === 1;
  }

  bytes(): Uint8Array {
    const place = this.places[this.next.buffer++];
    if (place === undefined) throw new Error('a field has no buffer');
    const [start, length] = [this.flat.int64(place), this.flat.int64(place + 8)];
    this.taken += length;
    // Buffers lie side by side: ones that share bytes would let a small file claim a large table.
    if (!(start >= 0 && length >= 0 && start + length <= this.body.length && this.taken <= this.body.length))
      throw new Error('a buffer goes beyond its message');
    return this.unpacked(this.body.subarray(start, start + length));
  }

  /** How many buffers hold the letters of the next field of views. */
  variadicCount(): number {
    const place = this.variadic[this.next.variadic++];
    const count = place === undefined ? 0 : this.flat.int64(place);
    if (!(count >= 0 && count <= this.places.length)) throw new Error(`a column claims ${count} buffers`);
    return count;
  }

  /** A packed buffer follows the length of its content, which is -1 where it is not packed after all. */
  private unpacked(bytes: Uint8Array): Uint8Array {
    if (this.codec === undefined || bytes.length === 0) return bytes;
    const packed = bytes.subarray(8);
    const length = Number(new DataView(bytes.buffer, bytes.byteOffset, bytes.length).getBigInt64(0, true));
    if (length === -1) return packed;
    const codec = CODECS[this.codec];
    if (!codec) throw new Error(`compression number ${this.codec} is not known`);
    if (!(length >= 0 && length <= codec.most * (packed.length + 4)))
      throw new Error(`${counted(packed.length, 'byte')} claim to unpack to ${length}`);
    this.size += length;
    if (this.size > this.maxBytes)
      throw new Error(`it unpacks to more than the ${this.maxBytes} bytes that are allowed`);
    const content = codec.unpack(packed, length);
    if (content.length !== length)
      throw new Error(`${counted(length, 'byte')} were packed, ${content.length} came out`);
    return content;
  }
}

/**
 * The most bytes that one can unpack to: LZ4 adds 255 to a length per byte, zstd repeats 128 KiB per four
 * bytes.
 */
const CODECS = [
  { most: 255, unpack: unpackLz4 },
  {
    most: 32_768,
    unpack: (packed: Uint8Array, length: number) => decompressZstd(packed, new Uint8Array(length)),
  },
];

function readValues(field: ArrowField, parts: Parts, dictionaries: Dictionaries): ArrowValues {
  if (!field.dictionary) return readPlain(field, parts, dictionaries);
  const { id, places } = field.dictionary;
  const words = dictionaries.get(id);
  if (!words) throw new Error(`the dictionary ${id} of column ${field.name} is missing`);
  const { length, at } = readPlain({ ...field, type: places, children: [] }, parts, dictionaries);
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

function readPlain(field: ArrowField, parts: Parts, dictionaries: Dictionaries): ArrowValues {
  const { type } = field;
  const length = parts.length();
  if (type.kind === 'null' || type.kind === 'runs') {
    parts.unstored = Math.max(parts.unstored, length);
    for (const child of field.children) readValues(child, parts, dictionaries);
    return { length, at: () => (type.kind === 'null' ? null : UNREAD) };
  }
  const known = parts.validity(length);
  const value = readKnown(field, length, parts, dictionaries);
  return { length, at: (i) => (known(i) ? value(i) : null) };
}

/** Reads the values of a field, of which each is known. */
function readKnown(
  { type, children }: ArrowField,
  length: number,
  parts: Parts,
  dictionaries: Dictionaries,
): (i: number) => unknown {
  const child = () => readValues(children[0], parts, dictionaries);
  switch (type.kind) {
    case 'bool': {
      const bits = parts.buffer(length / 8);
      return (i) => ((bits.getUint8(i >> 3) >> (i & 7)) & 1) === 1;
    }
    case 'int':
      return readInts(type, parts.buffer(length * type.width));
    case 'float': {
      const read = elementReader(parts.buffer(length * type.width), `f${type.width}`, true);
      return (i) => read(i * type.width);
    }
    case 'decimal':
      return readDecimals(type, parts.buffer(length * type.width));
    case 'text':
    case 'binary': {
      const range = readRanges(length, type.wide, parts);
      const letters = parts.bytes();
      const decoder = new TextDecoder();
      return (i) => {
        const [from, to] = range(i, letters.length);
        return type.kind === 'text' ? decoder.decode(letters.subarray(from, to)) : UNREAD;
      };
    }
    case 'views':
      return readViews(length, parts);
    case 'list':
    case 'map': {
      const range = readRanges(length, type.wide, parts);
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
      for (const part of children) readValues(part, parts, dictionaries);
      return () => UNREAD;
    default:
      for (let k = 1; type.kind === 'other' && k < type.buffers; k++) parts.bytes();
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
  parts: Parts,
): (i: number, most: number) => [number, number] {
  const width = wide ? 8 : 4;
  const offsets = parts.buffer(length === 0 ? 0 : (length + 1) * width);
  const read = elementReader(offsets, wide ? 'i8' : 'i4', true);
  return (i, most) => {
    const [from, to] = [read(i * width), read((i + 1) * width)];
    if (!(from >= 0 && to >= from && to <= most))
      throw new Error(`row ${i + 1} takes ${from} to ${to} of the ${counted(most, 'value')} that there are`);
    return [from, to];
  };
}

/** Texts of up to 12 bytes in place, or where longer ones lie among further buffers. */
function readViews(length: number, parts: Parts): (i: number) => string {
  const views = parts.buffer(length * 16);
  const letters = Array.from({ length: parts.variadicCount() }, () => parts.bytes());
  const decoder = new TextDecoder();
  // Texts may share their letters; what all of them take together is limited all the same.
  let total = 0;
  for (let i = 0; i < length; i++) total += views.getUint32(16 * i, true);
  if (total > parts.maxBytes) throw new Error(`its texts have ${total} letters`);
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

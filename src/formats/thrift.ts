import { counted } from '../rows/counted.ts';

/**
 * A value of Thrift's compact protocol, which Parquet describes its contents in. Structs are fields by
 * number.
 */
type ThriftValue = number | boolean | Uint8Array | readonly ThriftValue[] | ThriftStruct;
export type ThriftStruct = ReadonlyMap<number, ThriftValue>;

/**
 * Reads a struct that begins at a place, and tells where it ends. No length is believed that the bytes left
 * could not hold, and nothing is nested without end; what is thrown is put into words by the caller.
 */
export function readThrift(bytes: Uint8Array, start = 0): { struct: ThriftStruct; end: number } {
  const reader = new ThriftReader(bytes, start);
  return { struct: reader.struct(0), end: reader.at };
}

/** Values nested deeper than this are in no file. */
const MAX_DEPTH = 32;

const [STOP, TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, , STRUCT] = Array(13).keys();

class ThriftReader {
  private readonly bytes: Uint8Array;
  at: number;

  constructor(bytes: Uint8Array, at: number) {
    this.bytes = bytes;
    this.at = at;
  }

  struct(depth: number): ThriftStruct {
    if (depth > MAX_DEPTH) throw new Error('descriptions are nested without end');
    const fields = new Map<number, ThriftValue>();
    for (let field = 0; ; ) {
      const head = this.byte();
      if ((head & 15) === STOP) return fields;
      field = head >> 4 ? field + (head >> 4) : zigzag(this.varint());
      fields.set(field, this.value(head & 15, depth));
    }
  }

  private value(type: number, depth: number): ThriftValue {
    switch (type) {
      case TRUE:
      case FALSE:
        return type === TRUE;
      case BYTE:
        return this.byte();
      case I16:
      case I32:
      case I64:
        return zigzag(this.varint());
      case DOUBLE:
        return new DataView(this.take(8).slice().buffer).getFloat64(0, true);
      case BINARY:
        return this.take(this.varint());
      case LIST:
      case SET:
        return this.list(depth + 1);
      case STRUCT:
        return this.struct(depth + 1);
      default:
        throw new Error(`a description has a value of type ${type}, which is not known`);
    }
  }

  private list(depth: number): ThriftValue[] {
    if (depth > MAX_DEPTH) throw new Error('descriptions are nested without end');
    const head = this.byte();
    const length = head >> 4 === 15 ? this.varint() : head >> 4;
    // Each entry takes a byte at least, truth values too.
    if (length > this.bytes.length - this.at)
      throw new Error(`a description lists ${counted(length, 'entry')}`);
    const type = (head & 15) === TRUE || (head & 15) === FALSE ? BYTE : head & 15;
    const entries: ThriftValue[] = [];
    for (let k = 0; k < length; k++) entries.push(this.value(type, depth));
    return entries;
  }

  private byte(): number {
    if (this.at >= this.bytes.length) throw new Error('a description is not complete');
    return this.bytes[this.at++];
  }

  private take(length: number): Uint8Array {
    if (!(length <= this.bytes.length - this.at))
      throw new Error(`a description holds a text of ${counted(length, 'byte')}`);
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }

  /** Seven bits per byte, the lowest first, at most ten of them. */
  private varint(): number {
    let value = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.byte();
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
    throw new Error('a description holds a number without end');
  }
}

/** Whole numbers of either sign, as 0, -1, 1, -2 and so on are numbered. */
function zigzag(number: number): number {
  return number % 2 === 0 ? number / 2 : -(number + 1) / 2;
}

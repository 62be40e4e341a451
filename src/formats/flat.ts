import { counted } from '../rows/counted.ts';

/**
 * Bytes with places in them, as the FlatBuffers format has them: tables, which know where each of their
 * fields lies, and vectors. Every place comes from the file and is checked before it is used; what is thrown
 * is put into words by the caller.
 */
export class Flat {
  private readonly bytes: Uint8Array;
  private readonly view: DataView;
  readonly length: number;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.length = bytes.length;
  }

  uint8(at: number): number {
    return this.view.getUint8(at);
  }

  int16(at: number): number {
    return this.view.getInt16(at, true);
  }

  int32(at: number): number {
    return this.view.getInt32(at, true);
  }

  int64(at: number): number {
    return Number(this.view.getBigInt64(at, true));
  }

  part(start: number, end: number): Uint8Array {
    if (!(start >= 0 && end >= start && end <= this.length))
      throw new Error(`bytes ${start} to ${end} are not within the ${this.length} that there are`);
    return this.bytes.subarray(start, end);
  }

  /** Where a field (from 0) of the table that `reference` points to lies; 0 if it is not given. */
  field(reference: number, number: number): number {
    const table = reference + this.int32(reference);
    const directory = table - this.int32(table);
    const entry = 4 + 2 * number;
    if (entry >= this.int16(directory)) return 0;
    const offset = this.int16(directory + entry);
    return offset ? table + offset : 0;
  }

  /** A field that is a number, or what it is where it is not given. */
  number(
    reference: number,
    number: number,
    read: 'uint8' | 'int16' | 'int32' | 'int64',
    otherwise = 0,
  ): number {
    const place = this.field(reference, number);
    return place ? this[read](place) : otherwise;
  }

  /** The places of the entries of a vector of so many bytes each; none where it is not given. */
  vector(reference: number, number: number, stride: number): number[] {
    const place = this.field(reference, number);
    if (!place) return [];
    const start = place + this.int32(place);
    const count = this.int32(start);
    if (!(count >= 0 && count * stride <= this.length - start - 4))
      throw new Error(`a list claims ${counted(count, 'entry')}`);
    return Array.from({ length: count }, (_, k) => start + 4 + k * stride);
  }

  text(reference: number, number: number): string {
    const place = this.field(reference, number);
    if (!place) return '';
    const start = place + this.int32(place);
    return new TextDecoder().decode(this.part(start + 4, start + 4 + this.int32(start)));
  }
}

import { decompressZstd } from 'hyparquet-compressors';
import { counted } from '../rows/counted.ts';
import type { Flat } from './flat.ts';
import { unpackLz4 } from './lz4-frame.ts';

/** The lengths and buffers of a batch, in the order in which fields take them. */
export class BatchBuffers {
  readonly #flat: Flat;
  readonly #body: Uint8Array;
  readonly #nodes: readonly number[];
  readonly #places: readonly number[];
  readonly #variadic: readonly number[];
  readonly #codec: number | undefined;
  readonly maxBytes: number;
  #next = { node: 0, buffer: 0, variadic: 0 };
  /** Bytes of buffers so far, as they are in the file. */
  #taken = 0;
  /** Bytes of the batch with what was unpacked so far. */
  size: number;
  /** The most values of a field that has no buffer to prove them. */
  unstored = 0;

  constructor(flat: Flat, reference: number, body: Uint8Array, maxBytes: number) {
    this.#flat = flat;
    this.#body = body;
    this.#nodes = flat.vector(reference, 1, 16);
    this.#places = flat.vector(reference, 2, 16);
    this.#variadic = flat.vector(reference, 4, 8);
    const compression = flat.field(reference, 3);
    this.#codec = compression ? flat.number(compression, 0, 'uint8') : undefined;
    this.maxBytes = maxBytes;
    this.size = body.length;
  }

  /** The length of the next field. */
  length(): number {
    const place = this.#nodes[this.#next.node++];
    if (place === undefined) throw new Error('a field has no length');
    const length = this.#flat.int64(place);
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
    const place = this.#places[this.#next.buffer++];
    if (place === undefined) throw new Error('a field has no buffer');
    const [start, length] = [this.#flat.int64(place), this.#flat.int64(place + 8)];
    this.#taken += length;
    // Buffers lie side by side: ones that share bytes would let a small file claim a large table.
    if (
      !(start >= 0 && length >= 0 && start + length <= this.#body.length && this.#taken <= this.#body.length)
    )
      throw new Error('a buffer goes beyond its message');
    return this.#unpacked(this.#body.subarray(start, start + length));
  }

  /** How many buffers hold the letters of the next field of views. */
  variadicCount(): number {
    const place = this.#variadic[this.#next.variadic++];
    const count = place === undefined ? 0 : this.#flat.int64(place);
    if (!(count >= 0 && count <= this.#places.length)) throw new Error(`a column claims ${count} buffers`);
    return count;
  }

  /** A packed buffer follows the length of its content, which is -1 where it is not packed after all. */
  #unpacked(bytes: Uint8Array): Uint8Array {
    if (this.#codec === undefined || bytes.length === 0) return bytes;
    const packed = bytes.subarray(8);
    const length = Number(new DataView(bytes.buffer, bytes.byteOffset, bytes.length).getBigInt64(0, true));
    if (length === -1) return packed;
    const codec = CODECS[this.#codec];
    if (!codec) throw new Error(`compression number ${this.#codec} is not known`);
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

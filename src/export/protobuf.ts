import { joined } from '../formats/bytes.ts';
import type { Bytes } from '../rows/bytes.ts';

/**
 * Just enough of the protobuf wire format to write a message: numbers, texts, bytes and messages inside
 * messages. A field is its number and wire type in one varint, then its value.
 */
export class Message {
  readonly #pieces: Uint8Array[] = [];
  #length = 0;

  /** A whole number, 0 or more. */
  integer(field: number, value: number): this {
    return this.#tag(field, VARINT).#append(varint(value));
  }

  text(field: number, value: string): this {
    return this.bytes(field, new TextEncoder().encode(value));
  }

  bytes(field: number, value: Uint8Array): this {
    return this.#tag(field, LENGTH_DELIMITED).#append(varint(value.length)).#append(value);
  }

  /** A message inside this one; it must be complete. */
  message(field: number, value: Message): this {
    this.#tag(field, LENGTH_DELIMITED).#append(varint(value.#length));
    for (const piece of value.#pieces) this.#append(piece);
    return this;
  }

  get length(): number {
    return this.#length;
  }

  finish(): Bytes {
    return joined(this.#pieces);
  }

  #tag(field: number, wireType: number): this {
    return this.#append(varint(field * 8 + wireType));
  }

  #append(piece: Uint8Array): this {
    this.#pieces.push(piece);
    this.#length += piece.length;
    return this;
  }
}

const VARINT = 0;
const LENGTH_DELIMITED = 2;

/** Seven bits per byte, the least significant first; all bytes but the last have the top bit set. */
function varint(value: number): Uint8Array {
  if (!Number.isSafeInteger(value) || value < 0) {
    throw new RangeError(`protobuf: expected a whole number of at least 0, got ${value}`);
  }
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 128) {
    bytes.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  bytes.push(rest);
  return Uint8Array.from(bytes);
}

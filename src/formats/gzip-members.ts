import { Gunzip } from 'fflate';
import { badFile } from '../rows/errors.ts';
import type { ByteSource } from './bytes.ts';
import { crc32 } from './crc32.ts';

/** Packed bytes that are unpacked at a time: 16 MiB at most when unpacked. */
const STEP = 16_384;

/** Packed bytes that are kept, because a member's trailer is looked up after the next header was read. */
const KEPT = 2 ** 18;

/**
 * Bytes at the end of a member: the checksum of what it unpacks to, and how many bytes that are, modulo 2^32.
 */
const TRAILER = 8;

/** What the members of a gzip file unpack to, one after the other. */
export async function* unpacked(source: ByteSource): AsyncGenerator<Uint8Array> {
  const members = new Members();
  for await (const piece of source.stream()) {
    for (let at = 0; at < piece.length; at += STEP) {
      yield* named(source, () => members.push(piece.subarray(at, at + STEP)));
    }
  }
  yield* named(source, () => members.end());
}

/** What a step gives; what it throws becomes an error with the file's name. */
function named(source: ByteSource, step: () => Uint8Array[]): Uint8Array[] {
  try {
    return step();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw badFile(source.name, `the gzip data are damaged (${reason})`, error);
  }
}

/** Unpacks members one after the other, and checks that each one is what its trailer says. */
class Members {
  readonly #gunzip = new Gunzip((piece) => this.#take(piece));
  /** The last packed bytes, each one at its place modulo `KEPT`. */
  readonly #packed = new Uint8Array(KEPT);
  #packedSize = 0;
  /** Of the member that is being unpacked. */
  #crc = 0;
  #size = 0;
  #ready: Uint8Array[] = [];

  constructor() {
    this.#gunzip.onmember = (start) => this.#check(start);
  }

  push(packed: Uint8Array): Uint8Array[] {
    const at = this.#packedSize % KEPT;
    this.#packed.set(packed.subarray(0, KEPT - at), at);
    this.#packed.set(packed.subarray(KEPT - at));
    this.#packedSize += packed.length;
    this.#gunzip.push(packed);
    return this.#ready.splice(0);
  }

  /**
   * What is left, once all packed bytes were pushed: the file has to end with the trailer of its last member.
   */
  end(): Uint8Array[] {
    this.#gunzip.push(new Uint8Array(0), true);
    this.#check(this.#packedSize);
    return this.#ready.splice(0);
  }

  #take(piece: Uint8Array): void {
    this.#crc = crc32(piece, this.#crc);
    this.#size += piece.length;
    this.#ready.push(piece);
  }

  /**
   * Compares what was unpacked with the trailer that ends at a place in the file, and begins the next member.
   */
  #check(end: number): void {
    if (end > this.#packedSize || end - TRAILER < this.#packedSize - KEPT)
      throw new Error('a header is too long');
    const trailer = Uint8Array.from({ length: TRAILER }, (_, k) => this.#packed[(end - TRAILER + k) % KEPT]);
    const said = new DataView(trailer.buffer);
    if (said.getUint32(0, true) !== this.#crc || said.getUint32(4, true) !== this.#size % 2 ** 32) {
      throw new Error('incorrect data check');
    }
    this.#crc = 0;
    this.#size = 0;
  }
}

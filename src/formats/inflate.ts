import { Inflate } from 'fflate';
import { Breath } from '../rows/breath.ts';
import { badFile } from '../rows/errors.ts';
import { joined } from './bytes.ts';

/**
 * Unpacks deflated data (without header and checksum): hand it packed bytes in order, get back what they
 * unpack to. A small step at a time, as a byte may unpack to a thousand.
 */
export function inflater(name: string): (packed: Uint8Array, last: boolean) => Generator<Uint8Array> {
  const ready: Uint8Array[] = [];
  const inflate = new Inflate((piece) => {
    ready.push(piece);
  });
  return function* (packed, last) {
    for (let at = 0; at < packed.length || (last && at === 0); at += STEP) {
      try {
        inflate.push(packed.subarray(at, at + STEP), last && at + STEP >= packed.length);
      } catch (error) {
        throw badFile(name, 'the compressed data are damaged', error);
      }
      yield* ready.splice(0);
    }
  };
}

const STEP = 65_536;

/**
 * Unpacks zlib data that are in memory, up to a limit, and checks their checksum (Adler-32). The event loop
 * has its turns meanwhile, and the signal is heard.
 */
export async function unzlib(
  packed: Uint8Array,
  name: string,
  maxBytes: number,
  signal?: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  if (packed.length < 6) throw badFile(name, 'the compressed data are too short');
  const inflate = inflater(name);
  const breath = new Breath();
  const pieces: Uint8Array[] = [];
  let size = 0;
  let sum = ADLER;
  for (let at = 2, step = 0; at < packed.length - 4; at += step) {
    // What a step can unpack to is no more than what is left of the limit, or a mebibyte.
    step = Math.min(STEP, Math.max(START_STEP, Math.ceil((maxBytes - size) / START_STEP)));
    const end = Math.min(packed.length - 4, at + step);
    for (const piece of inflate(packed.subarray(at, end), end === packed.length - 4)) {
      size += piece.length;
      if (size > maxBytes) throw badFile(name, `unpacks to more than the limit of ${maxBytes} bytes`);
      sum = adler32(piece, sum);
      pieces.push(piece);
      await breath.between(signal);
    }
  }
  const end = new DataView(packed.buffer, packed.byteOffset + packed.length - 4);
  if (sum !== end.getUint32(0)) throw badFile(name, 'the compressed data are damaged');
  return joined(pieces);
}

/**
 * The beginning of zlib data that are in memory: `count` bytes or some more, or all where there are fewer.
 */
export function unzlibStart(packed: Uint8Array, name: string, count: number): Uint8Array<ArrayBuffer> {
  const inflate = inflater(name);
  const pieces: Uint8Array[] = [];
  let size = 0;
  for (let at = 2; at < packed.length - 4 && size < count; at += START_STEP) {
    for (const piece of inflate(packed.subarray(at, Math.min(packed.length - 4, at + START_STEP)), false)) {
      size += piece.length;
      pieces.push(piece);
    }
  }
  return joined(pieces);
}

/** A mebibyte at most when unpacked. */
const START_STEP = 1024;

/** The checksum of no bytes. */
const ADLER = 1;

/** Two sums modulo 65521, or their continuation; 5552 steps fit before a sum could overflow 32 bits. */
function adler32(bytes: Uint8Array, before: number): number {
  let a = before & 65_535;
  let b = before >>> 16;
  for (let at = 0; at < bytes.length; ) {
    for (const end = Math.min(bytes.length, at + 5552); at < end; at++) {
      a += bytes[at];
      b += a;
    }
    a %= 65_521;
    b %= 65_521;
  }
  return b * 65_536 + a;
}

import { crc32 } from '../formats/crc32.ts';
import { badFile, FormatError } from '../rows/errors.ts';

/**
 * The file of a search index: a start of 256 bytes, then records that are never changed, one after the other.
 *
 *     0    "PCAE-IDX", then the version, uint32
 *     64   a commit: number (uint32), end of the last record (float64), checksum    two places, used in turn:
 *     128  the other one                                                           the valid one with the higher number counts
 *     256  records: kind, count (uint32), bytes (float64), checksums of the payload and of these 20 bytes (uint32); payload
 *
 * What is added is written behind the last record and made to last before a commit names it, so that a crash
 * at any moment leaves the index as it was or as it was to be. Opening reads the start and the heads of the
 * records only. All numbers are little-endian.
 */
export const MAGIC = 'PCAE-IDX';
const VERSION = 1;
export const START = 256;
export const HEAD = 32;

/**
 * Kinds of records: the model (first, once), codes with their constants, where the rows deleted are, and how
 * many rows were ever added (its count), where compacting has left some of them out.
 */
export const RECORD = { model: 1, rows: 2, deleted: 3, numbered: 4 } as const;

export interface RecordHead {
  readonly kind: number;
  readonly count: number;
  /** Bytes of the payload. */
  readonly size: number;
  /** Checksum of the payload. */
  readonly crc: number;
}

export interface Commit {
  readonly number: number;
  readonly end: number;
}

/** The start of a new file; its first commit says that it ends at `end`. */
export function startBytes(end: number): Uint8Array {
  const bytes = new Uint8Array(START);
  bytes.set(new TextEncoder().encode(MAGIC));
  new DataView(bytes.buffer).setUint32(8, VERSION, true);
  const commit = { number: 1, end };
  bytes.set(commitBytes(commit), placeOf(commit));
  return bytes;
}

/** Where a commit is written: never over the one before. */
export function placeOf({ number }: Commit): number {
  return number % 2 === 0 ? 64 : 128;
}

export function commitBytes({ number, end }: Commit): Uint8Array {
  const bytes = new Uint8Array(24);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, number, true);
  view.setFloat64(8, end, true);
  view.setUint32(16, crc32(bytes.subarray(0, 16)), true);
  return bytes;
}

/** The commit that counts. */
export function readStartBytes(bytes: Uint8Array, name: string): Commit {
  if (bytes.length < START || new TextDecoder().decode(bytes.subarray(0, 8)) !== MAGIC) {
    throw new FormatError(name, 'byte 0', 'this is not a search index');
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const version = view.getUint32(8, true);
  if (version !== VERSION)
    throw new FormatError(name, 'byte 8', `version ${version} of an index is not known`);
  const commits = [64, 128]
    .filter((at) => view.getUint32(at + 16, true) === crc32(bytes.subarray(at, at + 16)))
    .map((at) => ({ number: view.getUint32(at, true), end: view.getFloat64(at + 8, true) }))
    .sort((a, b) => b.number - a.number);
  if (!(commits.length > 0 && commits[0].end >= START)) {
    throw new FormatError(name, 'byte 64', 'both of its commits are damaged');
  }
  return commits[0];
}

export function headBytes({ kind, count, size, crc }: RecordHead): Uint8Array {
  const bytes = new Uint8Array(HEAD);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, kind, true);
  view.setUint32(4, count, true);
  view.setFloat64(8, size, true);
  view.setUint32(16, crc, true);
  view.setUint32(20, crc32(bytes.subarray(0, 20)), true);
  return bytes;
}

export function readHead(bytes: Uint8Array, name: string, at: number): RecordHead {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (bytes.length < HEAD || view.getUint32(20, true) !== crc32(bytes.subarray(0, 20))) {
    throw new FormatError(name, `byte ${at}`, 'the head of a record is damaged');
  }
  const [kind, count, crc] = [0, 4, 16].map((place) => view.getUint32(place, true));
  return { kind, count, size: view.getFloat64(8, true), crc };
}

/** Rows of an index: codes, constants, numbers in the order of adding, and names if given. */
export interface IndexRows {
  /** n x H / 8, bits in the order lsb. */
  readonly codes: Uint8Array;
  readonly constants: Float32Array;
  readonly numbers: Uint32Array;
  readonly ids?: readonly string[];
}

/** Rows as a payload: numbers, constants, codes, and the names as JSON where there are any. */
export function rowsPayload({ codes, constants, numbers, ids }: IndexRows): Uint8Array {
  const text = ids ? new TextEncoder().encode(JSON.stringify(ids)) : new Uint8Array(0);
  const n = numbers.length;
  const bytes = new Uint8Array(8 * n + codes.length + text.length);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < n; i++) {
    view.setUint32(4 * i, numbers[i], true);
    view.setFloat32(4 * (n + i), constants[i], true);
  }
  bytes.set(codes, 8 * n);
  bytes.set(text, 8 * n + codes.length);
  return bytes;
}

export function readRowsPayload(bytes: Uint8Array, n: number, width: number, name: string): IndexRows {
  const from = 8 * n + n * width;
  if (bytes.length < from) throw badFile(name, 'a record of rows is shorter than its rows');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const numbers = new Uint32Array(n);
  const constants = new Float32Array(n);
  for (let i = 0; i < n; i++) {
    numbers[i] = view.getUint32(4 * i, true);
    constants[i] = view.getFloat32(4 * (n + i), true);
  }
  const codes = bytes.subarray(8 * n, from);
  if (bytes.length === from) return { codes, constants, numbers };
  const ids = JSON.parse(new TextDecoder().decode(bytes.subarray(from))) as string[];
  return { codes, constants, numbers, ids };
}

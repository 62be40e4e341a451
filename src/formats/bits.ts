import * as z from 'zod/mini';
import { checkAbout, type RowsAbout } from '../rows/about.ts';
import { conforming } from '../rows/conforming.ts';
import { counted } from '../rows/counted.ts';
import { badFile, FormatError } from '../rows/errors.ts';
import { PackedNames, sliceNames } from '../rows/names.ts';
import { allKnown, type Rows, rowBytes } from '../rows/rows.ts';
import type { RowSource } from '../rows/source.ts';
import type { Reading } from '../rows/values.ts';
import { ByteReader, type ByteSource, readRange } from './bytes.ts';
import { crc32 } from './crc32.ts';
import { finish } from './numbers.ts';
import { checkShape, chunkRows, type OpenedSource, type OpenOptions } from './options.ts';
import { startsLike } from './recognise.ts';
import { bitAt, type WriteOptions } from './write.ts';

/**
 * `.bits`, packed rows of bits; all numbers little-endian:
 *
 * | bytes | what |
 * |---|---|
 * | 0-7 | the letters `PCAEBITS` |
 * | 8-11 | version, 1 |
 * | 12-15 | flags: 1 when entries may be missing |
 * | 16-23 | n, the number of rows |
 * | 24-31 | V, the number of columns |
 * | 32-35 | m, the length of the names |
 * | 36-39 | CRC-32 of bytes 0-35 and of the names |
 * | 40-(40+m) | names: JSON, `{"columns": [...], "ids": [...], "heading": "...", "image": {...}}`, each where known |
 * | then | each row: ceil(V/8) bytes, column v in bit v mod 8 (least significant first) of byte floor(v/8); spare bits 0; |
 * | | if entries may be missing, as many bytes again with a 1 where the entry is known |
 * | last 4 | CRC-32 of all rows |
 *
 * The header is proven before anything is allocated, the rows by the end of every complete reading.
 */
export async function openBits(bytes: ByteSource, options: OpenOptions): Promise<OpenedSource> {
  const { name } = bytes;
  const head = await readRange(bytes, 0, HEAD, 'its header');
  if (!startsLike('bits', head)) throw new FormatError(name, 'byte 0', 'this is not a .bits file');
  const view = new DataView(head.buffer);
  const version = view.getUint32(8, true);
  if (version !== 1)
    throw new FormatError(name, 'byte 8', `version ${version} of .bits is not known, only 1 is`);
  const flags = view.getUint32(12, true);
  const n = Number(view.getBigUint64(16, true));
  const V = Number(view.getBigUint64(24, true));
  const namesLength = view.getUint32(32, true);
  checkShape(name, n, V);
  const stride = rowBytes(V) * (flags & 1 ? 2 : 1);
  const expected = HEAD + namesLength + n * stride + 4;
  if (bytes.exact ? expected !== bytes.size : expected > bytes.size) {
    throw badFile(
      name,
      `should be ${counted(expected, 'byte')} long (${counted(n, 'row')} of ${V} bits), but is ${bytes.size}`,
    );
  }
  const names = await readRange(bytes, HEAD, HEAD + namesLength, 'its names');
  if (crc32(names, crc32(head.subarray(0, 36))) !== view.getUint32(36, true)) {
    throw new FormatError(name, 'byte 36', 'the header is damaged: its checksum does not fit');
  }
  const source: RowSource = {
    ...readNames(name, names, n, V),
    n,
    V,
    chunks: (size) => readChunks(bytes, HEAD + namesLength, n, V, (flags & 1) === 1, size),
  };
  const reading: Reading = { values: 'bits', binarize: 'none', seed: 0, exact: true };
  const gaps = flags & 1 ? undefined : false;
  return finish(source, { name, format: 'bits', reading, values: 'bits', gaps }, options);
}

const HEAD = 40;
const LETTERS = new TextEncoder().encode('PCAEBITS');

const pixels = z.int().check(z.positive());

/** The names as they are stored; `heading` is that of the names of rows. */
const storedNames = z.object({
  columns: z.optional(z.array(z.string())),
  ids: z.optional(z.array(z.string())),
  heading: z.optional(z.string()),
  image: z.optional(z.object({ height: pixels, width: pixels })),
});

/**
 * The names, found to be those of n rows of V columns: the checksum proves who wrote them, not that they fit.
 */
function readNames(name: string, bytes: Uint8Array, n: number, V: number): RowsAbout {
  if (bytes.length === 0) return {};
  const wrong = (what: string, cause?: unknown) => new FormatError(name, `byte ${HEAD}`, what, cause);
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    throw wrong('the names are not JSON', error);
  }
  const { columns, ids, heading, image } = conforming(storedNames, json, (place, message) =>
    wrong(`the names are not as they should be: ${[...place.slice(0, 2), message].join(', ')}`),
  );
  const about = { columns, ids: ids && PackedNames.from(ids, heading), image };
  try {
    checkAbout(about, n, V, 'names');
  } catch (error) {
    throw wrong((error as Error).message, error);
  }
  return about;
}

async function* readChunks(
  bytes: ByteSource,
  offset: number,
  n: number,
  V: number,
  masked: boolean,
  size: number,
): AsyncGenerator<Rows> {
  const reader = new ByteReader(bytes, offset);
  const half = rowBytes(V);
  // 32 bits take no more memory than one number.
  const step = chunkRows(size, V / 32);
  let crc = 0;
  try {
    for (let row = 0; row < n; row += step) {
      const count = Math.min(n, row + step) - row;
      const raw = await reader.take(count * half * (masked ? 2 : 1), `row ${row + count} of ${n}`);
      crc = crc32(raw, crc);
      if (row + count === n) await checkRows(bytes.name, reader, crc);
      yield masked ? splitMask(raw, count, V) : { kind: 'bits', n: count, V, bits: raw };
    }
  } finally {
    await reader.close();
  }
}

async function checkRows(name: string, reader: ByteReader, crc: number): Promise<void> {
  const last = await reader.take(4, 'its checksum');
  if (new DataView(last.buffer).getUint32(0, true) === crc) return;
  throw badFile(name, 'the rows are damaged: their checksum does not fit');
}

function splitMask(raw: Uint8Array, n: number, V: number): Rows {
  const half = rowBytes(V);
  const bits = new Uint8Array(n * half);
  const known = new Uint8Array(n * half);
  for (let i = 0; i < n; i++) {
    bits.set(raw.subarray(2 * i * half, (2 * i + 1) * half), i * half);
    known.set(raw.subarray((2 * i + 1) * half, (2 * i + 2) * half), i * half);
  }
  return { kind: 'bits', n, V, bits, known };
}

/** A .bits file of a source of bits. `masked` leaves room for missing entries. */
export async function* encodeBits(
  source: RowSource,
  options: Pick<WriteOptions, 'masked'> = {},
): AsyncGenerator<Uint8Array> {
  const { masked = false } = options;
  checkAbout(source, source.n, source.V, 'source');
  yield header(source, masked);
  yield* namesJson(source);
  let crc = 0;
  let first = 0;
  for await (const rows of source.chunks(4096)) {
    const bytes = masked ? joinMask(rows, first) : packed(rows, first);
    crc = crc32(bytes, crc);
    first += rows.n;
    yield bytes;
  }
  const last = new Uint8Array(4);
  new DataView(last.buffer).setUint32(0, crc, true);
  yield last;
}

function header(source: RowSource, masked: boolean): Uint8Array {
  const head = new Uint8Array(HEAD);
  const view = new DataView(head.buffer);
  head.set(LETTERS);
  view.setUint32(8, 1, true);
  view.setUint32(12, masked ? 1 : 0, true);
  view.setBigUint64(16, BigInt(source.n), true);
  view.setBigUint64(24, BigInt(source.V), true);
  let length = 0;
  for (const piece of namesJson(source)) length += piece.length;
  view.setUint32(32, length, true);
  let crc = crc32(head.subarray(0, 36));
  for (const piece of namesJson(source)) crc = crc32(piece, crc);
  view.setUint32(36, crc, true);
  return head;
}

/** The names as JSON, piece by piece: those of millions of rows never stand in memory as one text. */
function* namesJson({ columns, ids, image }: RowsAbout): Generator<Uint8Array> {
  if (!columns && !ids && !image) return;
  const encoder = new TextEncoder();
  const rest = JSON.stringify({ columns, heading: ids?.heading, image });
  if (!ids) {
    yield encoder.encode(rest);
    return;
  }
  yield encoder.encode('{"ids":[');
  for (let i = 0; i < ids.length; i += PIECE) {
    const part = JSON.stringify(sliceNames(ids, i, i + PIECE)).slice(1, -1);
    yield encoder.encode(i === 0 ? part : `,${part}`);
  }
  yield encoder.encode(rest === '{}' ? ']}' : `],${rest.slice(1)}`);
}

/** Names of rows that are written at a time. */
const PIECE = 4096;

function packed(rows: Rows, first: number): Uint8Array {
  if (rows.kind === 'bits' && !rows.known) return rows.bits;
  const stride = rowBytes(rows.V);
  const bits = new Uint8Array(rows.n * stride);
  for (let i = 0; i < rows.n; i++) {
    for (let v = 0; v < rows.V; v++) bits[i * stride + (v >> 3)] |= bitAt(rows, i, v, first) << (v & 7);
  }
  return bits;
}

function joinMask(rows: Rows, first: number): Uint8Array {
  const half = rowBytes(rows.V);
  const bits = rows.kind === 'bits' ? rows.bits : packed(rows, first);
  const known = (rows.kind === 'bits' && rows.known) || allKnown(rows.n, rows.V);
  const joined = new Uint8Array(2 * rows.n * half);
  for (let i = 0; i < rows.n; i++) {
    joined.set(bits.subarray(i * half, (i + 1) * half), 2 * i * half);
    joined.set(known.subarray(i * half, (i + 1) * half), (2 * i + 1) * half);
  }
  return joined;
}

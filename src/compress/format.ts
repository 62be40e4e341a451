import { crc32 } from '../formats/crc32.ts';
import { counted } from '../rows/counted.ts';
import { badFile, FormatError } from '../rows/errors.ts';
import { BitReader, BitWriter } from './bit-coder.ts';
import { codeModel, type IntegerModel } from './model.ts';

/**
 * The compressed file; numbers are little-endian, 4 bytes each:
 *
 * | bytes | what |
 * |---|---|
 * | 0-7 | the letters `PCAEPACK` |
 * | 8-11 | version, 2 |
 * | 12-15 | n, rows |
 * | 16-19 | V, columns |
 * | 20-23 | H, bits of a code |
 * | 24-27 | 1 with a bias unit, else 0 |
 * | 28-31 | step: one unit of a weight, in 1/256 nat |
 * | 32-35 | length of the model |
 * | 36-39 | CRC-32 of bytes 0-35 and the model |
 * | 40- | the model: its weights, range-coded |
 * | then blocks | rows, length of codes, length of residuals, CRC-32 of these and the data; codes; residuals |
 * | last 4 | CRC-32 of the original rows, packed least significant bit first |
 */
interface Header {
  readonly n: number;
  readonly model: IntegerModel;
  readonly modelBytes: number;
}

interface PackedBlock {
  readonly rows: number;
  readonly codes: Uint8Array;
  readonly residual: Uint8Array;
}

const LETTERS = new TextEncoder().encode('PCAEPACK');

/** Whether a file that begins with these bytes is a compressed one. */
export function isCompressed(start: Uint8Array): boolean {
  return LETTERS.every((letter, k) => start[k] === letter);
}

const VERSION = 2;
const HEAD = 40;
const BLOCK_HEAD = 16;
/** No block holds more rows: what a reader must have in memory at once. */
export const BLOCK_ROWS = 4096;
type Sizes = Record<'n' | 'V' | 'H' | 'bias' | 'step', number>;
const LIMITS: Sizes = { n: 2 ** 32 - 1, V: 2 ** 24, H: 4096, bias: 1, step: 4096 };
/** What a reader is willing to take on a file's word, and so a writer too: V x width weights. */
const MOST_WEIGHTS = 2 ** 27;
/** A weight costs at least one adaptive bit, which is never cheaper than 2^-10.5 bits (Counts). */
const MOST_WEIGHTS_A_BYTE = 2 ** 14;
/** An entry is never cheaper than 2^-15.5 bits (squash). */
const MOST_ENTRIES_A_BYTE = 2 ** 19;

/** Refuses to write what could not be read again. */
export function checkSizes(n: number, shape: Pick<IntegerModel, 'V' | 'H' | 'bias'>): void {
  const { V, H, bias } = shape;
  const wrong = beyond({ n, V, H, bias: bias ? 1 : 0 });
  if (wrong) throw new RangeError(`compress: ${wrong}`);
}

/** Which of the sizes is more than a file may say; nothing where all are well. */
function beyond(sizes: Pick<Sizes, 'n' | 'V' | 'H' | 'bias'> & Partial<Sizes>): string | undefined {
  for (const [key, value] of Object.entries(sizes)) {
    const most = LIMITS[key as keyof Sizes];
    if (!(Number.isInteger(value) && value >= 0 && value <= most)) {
      return `${key} = ${value}, expected a whole number, at most ${most}`;
    }
  }
  const { V, H, bias } = sizes;
  if (V * (H + bias) > MOST_WEIGHTS) {
    return `V x width = ${V} x ${H + bias} weights, expected at most ${MOST_WEIGHTS}`;
  }
  return undefined;
}

export function writeHeader(n: number, model: IntegerModel): Uint8Array {
  const { V, H, bias, step } = model;
  const packed = packModel(model);
  const bytes = new Uint8Array(HEAD + packed.length);
  const view = new DataView(bytes.buffer);
  bytes.set(LETTERS);
  [VERSION, n, V, H, bias ? 1 : 0, step, packed.length].forEach((x, k) => {
    view.setUint32(8 + 4 * k, x, true);
  });
  bytes.set(packed, HEAD);
  view.setUint32(36, crc32(packed, crc32(bytes.subarray(0, 36))), true);
  return bytes;
}

export function packModel(model: IntegerModel): Uint8Array {
  const writer = new BitWriter();
  codeModel(writer, model);
  return writer.finish();
}

export function readHeader(bytes: Uint8Array, name: string): Header {
  if (bytes.length < HEAD || LETTERS.some((letter, k) => bytes[k] !== letter)) {
    throw new FormatError(name, 'byte 0', 'these are not rows compressed by this package');
  }
  const view = viewOf(bytes);
  const version = view.getUint32(8, true);
  if (version !== VERSION) {
    const why =
      version < VERSION ? 'an earlier version of pc-ae wrote this file' : 'a later version of pc-ae wrote it';
    throw new FormatError(
      name,
      'byte 8',
      `version ${version} of the format is not read, only ${VERSION} is: ${why}; unpack it with that version`,
    );
  }
  const [n, V, H, bias, step, modelBytes] = [12, 16, 20, 24, 28, 32].map((at) => view.getUint32(at, true));
  const end = HEAD + modelBytes;
  if (end > bytes.length) throw badFile(name, 'ends within its model: the file was cut short');
  const packed = bytes.subarray(HEAD, end);
  if (crc32(packed, crc32(bytes.subarray(0, 36))) !== view.getUint32(36, true)) {
    throw new FormatError(name, 'byte 36', 'the header or the model is damaged: its checksum does not fit');
  }
  const wrong = beyond({ n, V, H, bias, step });
  if (wrong) throw badFile(name, `the header says ${wrong}`);
  const width = H + bias;
  if (V * width > modelBytes * MOST_WEIGHTS_A_BYTE) {
    throw badFile(name, `the header claims a model of ${V} x ${width} weights, which its bytes cannot hold`);
  }
  const columns = new Int32Array(V * width);
  const model = { V, H, bias: bias === 1, step, columns };
  reading(name, 'the model', () => {
    const reader = new BitReader(packed);
    codeModel(reader, model);
    reader.finish();
  });
  return { n, model, modelBytes };
}

export function writeBlock(block: PackedBlock): Uint8Array {
  const { rows, codes, residual } = block;
  const bytes = new Uint8Array(BLOCK_HEAD + codes.length + residual.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, rows, true);
  view.setUint32(4, codes.length, true);
  view.setUint32(8, residual.length, true);
  bytes.set(codes, BLOCK_HEAD);
  bytes.set(residual, BLOCK_HEAD + codes.length);
  view.setUint32(12, crc32(bytes.subarray(BLOCK_HEAD), crc32(bytes.subarray(0, 12))), true);
  return bytes;
}

/** The blocks of a file, proven by checksums; together they hold the header's n rows and no more. */
export function* readBlocks(bytes: Uint8Array, header: Header, name: string): Generator<PackedBlock> {
  const view = viewOf(bytes);
  let at = HEAD + header.modelBytes;
  let row = 0;
  while (row < header.n) {
    const place = `the block at byte ${at}`;
    if (at + BLOCK_HEAD > bytes.length - 4)
      throw new FormatError(name, place, 'is missing: the file was cut short');
    const [rows, codes, residual, crc] = [0, 4, 8, 12].map((k) => view.getUint32(at + k, true));
    const end = at + BLOCK_HEAD + codes + residual;
    if (end > bytes.length - 4) throw new FormatError(name, place, 'is not complete: the file was cut short');
    if (crc32(bytes.subarray(at + BLOCK_HEAD, end), crc32(bytes.subarray(at, at + 12))) !== crc) {
      throw new FormatError(name, place, 'is damaged: its checksum does not fit');
    }
    if (rows < 1 || rows > BLOCK_ROWS || row + rows > header.n) {
      throw new FormatError(
        name,
        place,
        `claims ${counted(rows, 'row')}, expected 1 to ${Math.min(BLOCK_ROWS, header.n - row)}`,
      );
    }
    if (rows * header.model.V > residual * MOST_ENTRIES_A_BYTE) {
      throw new FormatError(name, place, `claims ${counted(rows, 'row')}, more than its bytes can hold`);
    }
    const data = bytes.subarray(at + BLOCK_HEAD, end);
    yield { rows, codes: data.subarray(0, codes), residual: data.subarray(codes) };
    row += rows;
    at = end;
  }
  if (at !== bytes.length - 4)
    throw new FormatError(name, `byte ${at}`, 'there is more data than the header says');
}

/** The checksum of the original rows, which the file ends with. */
export function lastChecksum(bytes: Uint8Array): number {
  return viewOf(bytes).getUint32(bytes.length - 4, true);
}

/** Whatever goes wrong in a range-coded part is the file's fault. */
export function reading<T>(name: string, part: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new FormatError(name, part, `is damaged: ${error.message}`, error);
  }
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

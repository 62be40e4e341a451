import { checked, type PackedCodes, packCodes, reorderCodes } from '../bits/pack.ts';
import { joined } from '../formats/bytes.ts';
import { crc32 } from '../formats/crc32.ts';
import { inTurns, type Steps } from '../rows/breath.ts';
import type { Bytes } from '../rows/bytes.ts';
import { counted } from '../rows/counted.ts';
import { type RowsInput, readRows } from '../rows/input.ts';
import { type BitRows, type Rows, rowBytes, sliceRows, takeRows } from '../rows/rows.ts';
import { unpacked } from './arrays.ts';
import { BitWriter } from './bit-coder.ts';
import { estimate, type FloatModel, fitModel, NOTHING, type Sample } from './fit-model.ts';
import { BLOCK_ROWS, checkSizes, writeBlock, writeHeader } from './format.ts';
import { noDecoder } from './model.ts';
import { RowPredictor } from './predict-rows.ts';

/**
 * Lossless compression of rows of bits: a range coder stores what earlier rows and columns do not predict of
 * each entry. With a decoder, the file also holds its weights and a code for each row. All arithmetic is the
 * same on every machine, so the file gives the rows back bit for bit.
 */
export interface Decoder {
  /** V x H, or V x (H + 1) with the bias unit last. */
  readonly W: Float32Array;
  readonly shape: { readonly V: number; readonly H: number; readonly bias: boolean };
}

export interface CompressOptions extends Decoder {
  /** A code for each row. Any code is allowed; better ones make smaller files. */
  readonly codes: PackedCodes;
  /** Stops the work: the call rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/**
 * Compresses rows. Without a decoder and codes, only earlier rows and columns predict entries, which is best
 * on most tables of up to 4,096 columns.
 */
export async function compressRows(
  input: RowsInput,
  options: CompressOptions | Pick<CompressOptions, 'signal'> = {},
): Promise<Bytes> {
  const { signal } = options;
  // A file may hold no rows at all, which nobody could learn from.
  const rows =
    input && 'kind' in input && input.n === 0 ? input : await readRows(input, 'rows', undefined, signal);
  const { n } = rows;
  const given = 'W' in options ? options : withoutCodes(rows);
  const compressor = await openCompressor(n, given, spread(rows, given.codes), signal);
  const parts = [compressor.header];
  for (let row = 0; row < n; row += BLOCK_ROWS) {
    const end = Math.min(n, row + BLOCK_ROWS);
    parts.push(await compressor.block(sliceRows(rows, row, end), sliceCodes(given.codes, row, end), row));
  }
  parts.push(compressor.finish());
  return joined(parts);
}

/** No decoder, and a code of no bits for each row. */
export function withoutCodes({ n, V }: Pick<Rows, 'n' | 'V'>): Decoder & { codes: PackedCodes } {
  const codes = packCodes(new Float32Array(0), { n, H: 0 }, 'lsb');
  return { W: new Float32Array(0), shape: { V, H: 0, bias: false }, codes };
}

/** Writes a file part by part: the header, then blocks of rows in order, then the end. */
export interface Compressor {
  readonly header: Uint8Array;
  /** At most `BLOCK_ROWS` rows with their codes; `firstRow` is for error messages. */
  block(rows: Rows, codes: PackedCodes, firstRow?: number): Promise<Uint8Array>;
  finish(): Uint8Array;
}

/** Rows, and a code for each. */
export interface CodedRows {
  readonly rows: Rows;
  readonly codes: PackedCodes;
}

/** The likely size in bytes of a file of n rows with this decoder, from the size of a sample. */
export async function estimateSize(
  n: number,
  decoder: Decoder,
  sample: CodedRows,
  signal?: AbortSignal,
): Promise<number> {
  return inTurns(estimate(...tryable(n, decoder, sample)), signal);
}

function tryable(n: number, { W, shape }: Decoder, sample: CodedRows): [FloatModel, Sample, number] {
  checkSizes(n, shape);
  checkWeights(W, shape);
  return [{ ...shape, W }, unpackedSample(sample.rows, sample.codes, shape), n];
}

/**
 * For rows that do not fit in memory. The sample, a few thousand typical rows, decides how the model is
 * stored.
 */
export async function openCompressor(
  n: number,
  decoder: Decoder,
  sample: CodedRows,
  signal?: AbortSignal,
): Promise<Compressor> {
  const { shape } = decoder;
  const { V, H } = shape;
  const model = await inTurns(fitModel(...tryable(n, decoder, sample)), signal);
  const codePredictor = new RowPredictor(noDecoder(H));
  const rowPredictor = new RowPredictor(model);
  let written = 0;
  let crc = 0;
  return {
    header: writeHeader(n, model),
    async block(rows, codes, firstRow = written) {
      if (rows.n < 1 || rows.n > BLOCK_ROWS || written + rows.n > n) {
        const most = Math.min(BLOCK_ROWS, n - written);
        throw new RangeError(`rows: found ${rows.n} in a block, expected 1 to ${most}`);
      }
      const bits = onlyBits(rows, firstRow);
      const bytes = codeBytes(bits, codes, shape);
      const codeWriter = new BitWriter();
      const rowWriter = new BitWriter();
      await inTurns(steps(), signal);
      function* steps(): Steps<void> {
        for (let i = 0; i < rows.n; i++) {
          const code = unpacked(bytes, i, H);
          yield* codePredictor.row(codeWriter, NOTHING, code);
          yield* rowPredictor.row(rowWriter, code, unpacked(bits.bits, i, V));
        }
      }
      written += rows.n;
      crc = crc32(bits.bits, crc);
      return writeBlock({ rows: rows.n, codes: codeWriter.finish(), residual: rowWriter.finish() });
    },
    finish() {
      if (written !== n) throw new RangeError(`rows: ${written} were written, the header promises ${n}`);
      return fourBytes(crc);
    },
  };
}

/** Rows as they can be compressed: packed, nothing missing, spare bits 0. */
function onlyBits(rows: Rows, firstRow: number): BitRows {
  if (rows.kind === 'real') {
    throw new RangeError('rows: these are real values; only bits can be compressed (binarise them first)');
  }
  const { n, V } = rows;
  const stride = rowBytes(V);
  if (rows.bits.length !== n * stride) {
    throw new RangeError(
      `rows.bits: expected ${counted(n * stride, 'byte')} for ${counted(n, 'row')} of ${V}, got ${rows.bits.length}`,
    );
  }
  const spare = V & 7 ? 255 << (V & 7) : 0;
  const bits = rows.bits.slice();
  for (let i = 0; i < n; i++) {
    for (let v = 0; rows.known && v < V; v++) {
      if ((rows.known[i * stride + (v >> 3)] >> (v & 7)) & 1) continue;
      throw new RangeError(
        `rows: row ${firstRow + i + 1}, column ${v + 1} is missing; only complete rows can be compressed`,
      );
    }
    if (stride > 0) bits[(i + 1) * stride - 1] &= ~spare;
  }
  return { kind: 'bits', n, V, bits };
}

/** The codes of these rows, least significant bit first. */
function codeBytes(rows: Rows, codes: PackedCodes, { V, H }: Decoder['shape']): Uint8Array {
  if (rows.V !== V) throw new RangeError(`rows: found ${counted(rows.V, 'column')}, the model has V = ${V}`);
  if (codes.H !== H) throw new RangeError(`codes: found ${counted(codes.H, 'bit')}, the model has H = ${H}`);
  if (codes.n !== rows.n)
    throw new RangeError(`codes: found ${codes.n}, expected one for each of ${counted(rows.n, 'row')}`);
  return reorderCodes(checked(codes), 'lsb').bytes;
}

function checkWeights(W: Float32Array, { V, H, bias }: Decoder['shape']): void {
  const width = bias ? H + 1 : H;
  if (W.length === V * width) return;
  throw new RangeError(
    `W: found ${counted(W.length, 'number')}, expected ${V * width} (V = ${V} x ${width})`,
  );
}

function unpackedSample(rows: Rows, codes: PackedCodes, shape: Decoder['shape']) {
  const { V, H } = shape;
  const packed = onlyBits(rows, 0);
  const bytes = codeBytes(packed, codes, shape);
  const { n } = rows;
  const bits = new Uint8Array(n * V);
  const units = new Uint8Array(n * H);
  for (let i = 0; i < n; i++) {
    bits.set(unpacked(packed.bits, i, V), i * V);
    units.set(unpacked(bytes, i, H), i * H);
  }
  return { n, bits, codes: units };
}

/** A sample of rows spread evenly over the data. */
function spread(rows: Rows, codes: PackedCodes): { rows: Rows; codes: PackedCodes } {
  const n = Math.min(rows.n, SAMPLE);
  if (n === rows.n || codes.n !== rows.n) return { rows, codes };
  const order = Uint32Array.from({ length: n }, (_, k) => Math.floor((k * rows.n) / n));
  const all: BitRows = { kind: 'bits', n: codes.n, V: codes.H, bits: checked(codes).bytes };
  return {
    rows: takeRows(rows, order),
    codes: { ...codes, n, bytes: (takeRows(all, order) as BitRows).bits },
  };
}

const SAMPLE = 2000;

function sliceCodes(codes: PackedCodes, start: number, end: number): PackedCodes {
  const stride = rowBytes(codes.H);
  return { ...codes, n: end - start, bytes: codes.bytes.subarray(start * stride, end * stride) };
}

function fourBytes(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value, true);
  return bytes;
}

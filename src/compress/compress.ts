import { checked, type PackedCodes, reorderCodes } from '../bits/pack.ts';
import { crc32 } from '../formats/crc32.ts';
import { FormatError } from '../rows/errors.ts';
import { type BitRows, type Rows, rowBytes, sliceRows } from '../rows/rows.ts';
import { BitReader, BitWriter } from './bit-coder.ts';
import { fitModel } from './fit-model.ts';
import {
  BLOCK_ROWS,
  lastChecksum,
  readBlocks,
  readHeader,
  reading,
  writeBlock,
  writeHeader,
} from './format.ts';
import { CodePredictor } from './predict-codes.ts';
import { RowPredictor } from './predict-rows.ts';

/**
 * Lossless compression of rows of bits: the codes, and what the decoder's probabilities leave over, both
 * range-coded together with the model. Whole numbers throughout, so that the file is the same on every machine and
 * gives the rows back bit for bit.
 */
export interface CompressOptions {
  /** V x H, or V x (H + 1) with the bias unit last. */
  readonly W: Float32Array;
  /** A code for each row. Any code is allowed; better ones make smaller files. */
  readonly codes: PackedCodes;
  readonly shape: { readonly V: number; readonly H: number; readonly bias: boolean };
}

export function compressRows(rows: Rows, options: CompressOptions): Uint8Array {
  const { W, shape } = options;
  const codes = reorderCodes(checked(options.codes), 'lsb');
  const bits = onlyBits(rows);
  checkShapes(bits, W, codes, shape);
  const model = fitModel({ ...shape, W }, sampleOf(bits, codes), bits.n);
  const parts = [writeHeader(bits.n, model)];
  const codePredictor = new CodePredictor(model.H);
  const rowPredictor = new RowPredictor(model);
  let crc = 0;
  for (let row = 0; row < bits.n; row += BLOCK_ROWS) {
    const end = Math.min(bits.n, row + BLOCK_ROWS);
    const codeWriter = new BitWriter();
    const rowWriter = new BitWriter();
    for (let i = row; i < end; i++) {
      const code = unpacked(codes.bytes, i, model.H);
      codePredictor.row(codeWriter, code);
      rowPredictor.row(rowWriter, code, unpacked(bits.bits, i, model.V));
    }
    parts.push(writeBlock({ rows: end - row, codes: codeWriter.finish(), residual: rowWriter.finish() }));
    crc = crc32((sliceRows(bits, row, end) as BitRows).bits, crc);
  }
  parts.push(fourBytes(crc));
  return joined(parts);
}

/** The rows of a compressed file. */
export function decompressRows(bytes: Uint8Array, name = 'the compressed data'): BitRows {
  const { n, model } = readHeader(bytes, name);
  const { V } = model;
  const blocks: Uint8Array[] = [];
  for (const block of decompressBlocks(bytes, name)) blocks.push(block.bits);
  return { kind: 'bits', n, V, bits: joined(blocks) };
}

/** The rows block by block, in order; the end is reached only if all of them are as they were. */
export function* decompressBlocks(bytes: Uint8Array, name = 'the compressed data'): Generator<BitRows> {
  const header = readHeader(bytes, name);
  const { V, H } = header.model;
  const codePredictor = new CodePredictor(H);
  const rowPredictor = new RowPredictor(header.model);
  const code = new Uint8Array(H);
  const row = new Uint8Array(V);
  const stride = rowBytes(V);
  let crc = 0;
  for (const block of readBlocks(bytes, header, name)) {
    const bits = reading(name, 'a block', () => {
      const codeReader = new BitReader(block.codes);
      const rowReader = new BitReader(block.residual);
      const packed = new Uint8Array(block.rows * stride);
      for (let i = 0; i < block.rows; i++) {
        codePredictor.row(codeReader, code);
        rowPredictor.row(rowReader, code, row);
        for (let v = 0; v < V; v++) packed[i * stride + (v >> 3)] |= row[v] << (v & 7);
      }
      codeReader.finish();
      rowReader.finish();
      return packed;
    });
    crc = crc32(bits, crc);
    yield { kind: 'bits', n: block.rows, V, bits };
  }
  if (crc !== lastChecksum(bytes)) {
    throw new FormatError(name, '', 'the rows are not what was compressed: their checksum does not fit');
  }
}

/** Where the bytes of a compressed file go. */
export interface Breakdown {
  readonly total: number;
  readonly model: number;
  readonly codes: number;
  readonly residual: number;
  /** Headers and checksums. */
  readonly frame: number;
}

export function breakdown(bytes: Uint8Array, name = 'the compressed data'): Breakdown {
  const header = readHeader(bytes, name);
  let codes = 0;
  let residual = 0;
  for (const block of readBlocks(bytes, header, name)) {
    codes += block.codes.length;
    residual += block.residual.length;
  }
  const total = bytes.length;
  return {
    total,
    model: header.modelBytes,
    codes,
    residual,
    frame: total - header.modelBytes - codes - residual,
  };
}

/** Rows as they can be compressed: packed, nothing missing, spare bits 0. */
function onlyBits(rows: Rows): BitRows {
  if (rows.kind === 'real') {
    throw new RangeError('rows: these are real values; only bits can be compressed (binarise them first)');
  }
  const { n, V } = rows;
  const stride = rowBytes(V);
  const spare = V & 7 ? 255 << (V & 7) : 0;
  const bits = rows.bits.slice(0, n * stride);
  for (let i = 0; i < n; i++) {
    if (rows.known) {
      for (let v = 0; v < V; v++) {
        if ((rows.known[i * stride + (v >> 3)] >> (v & 7)) & 1) continue;
        throw new RangeError(
          `rows: row ${i + 1}, column ${v + 1} is missing; only complete rows can be compressed`,
        );
      }
    }
    if (stride > 0) bits[(i + 1) * stride - 1] &= ~spare;
  }
  return { kind: 'bits', n, V, bits };
}

function checkShapes(
  rows: BitRows,
  W: Float32Array,
  codes: PackedCodes,
  shape: CompressOptions['shape'],
): void {
  const { V, H, bias } = shape;
  const width = bias ? H + 1 : H;
  if (rows.V !== V) throw new RangeError(`rows: found ${rows.V} columns, the model has V = ${V}`);
  if (codes.H !== H) throw new RangeError(`codes: found ${codes.H} bits, the model has H = ${H}`);
  if (codes.n !== rows.n)
    throw new RangeError(`codes: found ${codes.n}, expected one for each of ${rows.n} rows`);
  if (W.length !== V * width) {
    throw new RangeError(`W: found ${W.length} numbers, expected ${V * width} (V = ${V} x ${width})`);
  }
}

/** Rows spread evenly over the data. */
function sampleOf(rows: BitRows, codes: PackedCodes) {
  const { V } = rows;
  const { H } = codes;
  const n = Math.min(rows.n, SAMPLE);
  const bits = new Uint8Array(n * V);
  const units = new Uint8Array(n * H);
  for (let k = 0; k < n; k++) {
    const i = Math.floor((k * rows.n) / n);
    bits.set(unpacked(rows.bits, i, V), k * V);
    units.set(unpacked(codes.bytes, i, H), k * H);
  }
  return { n, bits, codes: units };
}

const SAMPLE = 2000;

/** Item i of packed ones as zeros and ones. */
function unpacked(bytes: Uint8Array, i: number, size: number): Uint8Array {
  const at = i * rowBytes(size);
  const bits = new Uint8Array(size);
  for (let k = 0; k < size; k++) bits[k] = (bytes[at + (k >> 3)] >> (k & 7)) & 1;
  return bits;
}

function fourBytes(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value, true);
  return bytes;
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

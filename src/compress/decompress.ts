import { joined } from '../formats/bytes.ts';
import { crc32 } from '../formats/crc32.ts';
import { atOnce } from '../rows/breath.ts';
import { badFile } from '../rows/errors.ts';
import { type BitRows, rowBytes } from '../rows/rows.ts';
import { BitReader } from './bit-coder.ts';
import { NOTHING } from './fit-model.ts';
import { lastChecksum, readBlocks, readHeader, reading } from './format.ts';
import { noDecoder } from './model.ts';
import { RowPredictor } from './predict-rows.ts';

/** The rows of a compressed file. */
export function decompressRows(bytes: Uint8Array, name = 'the compressed data'): BitRows {
  const { n, model } = readHeader(bytes, name);
  const { V } = model;
  const blocks: Uint8Array[] = [];
  for (const block of decompressBlocks(bytes, name)) blocks.push(block.bits);
  return { kind: 'bits', n, V, bits: joined(blocks) };
}

/** The rows block by block, in order. Reading ends without an error only if all rows are intact. */
export function* decompressBlocks(bytes: Uint8Array, name = 'the compressed data'): Generator<BitRows> {
  const header = readHeader(bytes, name);
  const { V, H } = header.model;
  const codePredictor = new RowPredictor(noDecoder(H));
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
        atOnce(codePredictor.row(codeReader, NOTHING, code));
        atOnce(rowPredictor.row(rowReader, code, row));
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
    throw badFile(name, 'the rows are not what was compressed: their checksum does not fit');
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

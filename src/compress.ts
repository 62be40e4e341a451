/**
 * `pc-ae/compress`: lossless compression of rows, with a learned decoder or without.
 *
 * @module pc-ae/compress
 */
export { chooseUnits, type LearnDecoder } from './compress/choose-units.ts';
export {
  type CodedRows,
  type CompressOptions,
  type Compressor,
  compressRows,
  type Decoder,
  estimateSize,
  openCompressor,
  withoutCodes,
} from './compress/compress.ts';
export { type Breakdown, breakdown, decompressBlocks, decompressRows } from './compress/decompress.ts';

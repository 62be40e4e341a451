/** `pc-ae/compress`: lossless compression of rows with a learned decoder. */
export { type CompressOptions, type Compressor, compressRows, openCompressor } from './compress/compress.ts';
export { type Breakdown, breakdown, decompressBlocks, decompressRows } from './compress/decompress.ts';

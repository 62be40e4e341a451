/**
 * `pc-ae/formats`: file formats as bytes, read and written, and safetensors. `pc-ae/node` adds the files
 * themselves.
 *
 * @module pc-ae/formats
 */
export { type ByteSource, blobBytes, memoryBytes } from './formats/bytes.ts';
export { encodeRows, type WrittenFormat, writtenFormat } from './formats/encode.ts';
export { gunzip } from './formats/gzip.ts';
export type { Alike } from './formats/like.ts';
export { openBytes } from './formats/open.ts';
export type { FormatName, OpenedSource, OpenOptions } from './formats/options.ts';
export { FORMATS } from './formats/recognise.ts';
export {
  checkFinite,
  readSafetensors,
  type Safetensors,
  type Tensor,
  type TensorType,
  writeSafetensors,
} from './formats/safetensors.ts';
export { optionsOfFlags, schemaFlags } from './formats/table/flags.ts';
export type { WriteOptions } from './formats/write.ts';

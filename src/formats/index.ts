/** Everything about files that runs anywhere; `node/index.ts` adds the file system. */
export { type ByteSource, blobBytes, memoryBytes } from './bytes.ts';
export { encodeRows, type WrittenFormat, writtenFormat } from './encode.ts';
export type { Alike } from './like.ts';
export { FORMATS, openBytes } from './open.ts';
export type { FormatName, HowRead, OpenedSource, OpenOptions } from './options.ts';
export {
  checkFinite,
  readSafetensors,
  type Safetensors,
  type Tensor,
  type TensorType,
  writeSafetensors,
} from './safetensors.ts';
export type { WriteOptions } from './write.ts';

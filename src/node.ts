/** The Node half of PC-AE: files and threads, and everything that runs anywhere. */

import { setDefaultEngine } from './engine/default.ts';
import { createEngine } from './engine/node/index.ts';

export { createEngine, enableRelaxedSimd, type NodeEngineOptions } from './engine/node/index.ts';
export { encodeRows, type WrittenFormat, writtenFormat } from './formats/encode.ts';
export { type AtomicFile, atomicFile, writeAtomic } from './formats/node/atomic.ts';
export { openSource } from './formats/node/open.ts';
export type { FormatName, OpenedSource, OpenOptions } from './formats/options.ts';
export type { WriteOptions } from './formats/write.ts';
export * from './index.ts';
export { type CheckpointFile, checkpointFile } from './node/checkpoints.ts';
export { loadModel, openAutoencoder, saveModel } from './node/model-files.ts';
export { openSearch } from './search/node/index.ts';

setDefaultEngine(() => createEngine());

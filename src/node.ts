/**
 * `pc-ae/node`: everything in `pc-ae`, with files and with threads of Node.
 *
 * @module pc-ae/node
 */

import { setDefaultEngine } from './engine/default.ts';
import { createEngine } from './engine/node/index.ts';

export { createGpuEngine } from './engine/node/gpu.ts';
export { createEngine, enableRelaxedSimd, type NodeEngineOptions } from './engine/node/index.ts';
export { type AtomicFile, atomicFile, writeAtomic } from './formats/node/atomic.ts';
export { openSource } from './formats/node/open.ts';
export type { FormatName, OpenedSource, OpenOptions } from './formats/options.ts';
export * from './index.ts';
export { type CheckpointFile, checkpointFile } from './node/checkpoints.ts';
export {
  type CodeData,
  type CodeModel,
  codeModel,
  openSearchable,
  type SearchableModel,
  withTemperature,
} from './node/code-models.ts';
export { loadModel } from './node/load-model.ts';
export { saveModel } from './node/save-model.ts';
export { type Answer, type IndexSearchOptions, SearchIndex } from './node/search-index.ts';
export { openScores, openSearch } from './search/node/index.ts';
export { fitVectors } from './vectors/node/index.ts';

setDefaultEngine(() => createEngine());

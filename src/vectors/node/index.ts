import { usualThreads } from '../../engine/node/threads.ts';
import { startThread } from '../../search/node/index.ts';
import type { VectorCodes } from '../codes.ts';
import { type FitVectorsOptions, fitVectors as fitAnywhere } from '../fit.ts';
import type { VectorsInput } from '../vectors.ts';

/** `fitVectors` on the threads of Node: by default one for each core, 8 at most. */
export function fitVectors(
  vectors: VectorsInput,
  options: Omit<FitVectorsOptions, 'start'>,
): Promise<VectorCodes> {
  const { threads = usualThreads() } = options;
  return fitAnywhere(vectors, { ...options, threads, start: startThread });
}

/**
 * `pc-ae/vectors`: codes of bits for vectors of numbers, to find their neighbours.
 *
 * @module pc-ae/vectors
 */
export {
  type EncodedVectors,
  type EncodeVectorsOptions,
  VectorCodes,
  type VectorCodesParts,
  type VectorTraining,
} from './vectors/codes.ts';
export { loadVectorCodes, saveVectorCodes } from './vectors/file.ts';
export { type FitVectorsOptions, fitVectors } from './vectors/fit.ts';
export type { Metric, Vectors, VectorsInput } from './vectors/vectors.ts';

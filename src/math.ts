/**
 * `pc-ae/math`: the paper as executable mathematics, in float64 and plain loops, with the losses it is stated
 * for.
 *
 * @module pc-ae/math
 */
export { lossByName } from './losses/by-name.ts';
export { type Costs, costWeighted } from './losses/cost-weighted.ts';
export { crossEntropy } from './losses/cross-entropy.ts';
export { type CustomLossOptions, customLoss } from './losses/custom.ts';
export { hamming } from './losses/hamming.ts';
export type { Loss } from './losses/loss.ts';
export { squared } from './losses/squared.ts';
export { type Algorithm1Result, algorithm1 } from './math/algorithm1.ts';
export { certifiedGap, dualBound, frankWolfeGap } from './math/certificates.ts';
export { chiSquareQuantile } from './math/chi-square.ts';
export { chosenUnits, chosenWeights, selectColumns } from './math/chosen.ts';
export {
  correlations,
  encodingGradient,
  hallucinatedCorrelations,
  hallucinatedData,
  residuals,
} from './math/correlations.ts';
export { type DecodeOptions, minimaxValue, optimalWeights, reconstruct } from './math/decode.ts';
export { featureDistortion, objective, totalDistortion } from './math/distortion.ts';
export {
  boxOfDrifts,
  type DriftSet,
  ellipsoidOfDrifts,
  scaledDrifts,
  sumOfDrifts,
} from './math/drift-sets.ts';
export { type Domain, type EncodeOptions, encode, encodeAll } from './math/encode.ts';
export { driftBox, driftEllipsoid } from './math/estimated-drift.ts';
export { exactWorstCase, worstOfBit } from './math/exact-worst-case.ts';
export { groupWeights, pooledWeights } from './math/known-sums.ts';
export { cholesky, choleskySolve } from './math/linalg.ts';
export { bitLoss, exampleLoss, meanLoss } from './math/loss.ts';
export { dot, type Matrix, matrix, row, times, timesTranspose, transposeTimes } from './math/matrix.ts';
export type { SolverOptions, WellMinimum } from './math/minimise.ts';
export { relaxedWeights } from './math/relaxed.ts';
export { robustBound, robustWeights } from './math/robust.ts';
export { slack, slackGradient, worstCaseBound } from './math/slack.ts';
export { gaussians } from './solvers/gaussians.ts';
export { type Noise, noiseInCorrelations } from './training/noise.ts';

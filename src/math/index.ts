export { type Algorithm1Result, algorithm1 } from './algorithm1.ts';
export { certifiedGap, dualBound, frankWolfeGap } from './certificates.ts';
export { chiSquareQuantile } from './chi-square.ts';
export { chosenUnits, chosenWeights, selectColumns } from './chosen.ts';
export {
  correlations,
  encodingGradient,
  hallucinatedCorrelations,
  hallucinatedData,
  residuals,
} from './correlations.ts';
export { type DecodeOptions, minimaxValue, optimalWeights, reconstruct } from './decode.ts';
export { featureDistortion, objective, totalDistortion } from './distortion.ts';
export { boxOfDrifts, type DriftSet, ellipsoidOfDrifts, scaledDrifts, sumOfDrifts } from './drift-sets.ts';
export { type Domain, type EncodeOptions, encode, encodeAll } from './encode.ts';
export { driftBox, driftEllipsoid } from './estimated-drift.ts';
export { exactWorstCase, worstOfBit } from './exact-worst-case.ts';
export { groupWeights, pooledWeights } from './known-sums.ts';
export { cholesky, choleskySolve } from './linalg.ts';
export { bitLoss, exampleLoss, meanLoss } from './loss.ts';
export { dot, type Matrix, matrix, row, times, timesTranspose, transposeTimes } from './matrix.ts';
export type { SolverOptions, WellMinimum } from './minimise.ts';
export { relaxedWeights } from './relaxed.ts';
export { robustBound, robustWeights } from './robust.ts';
export { slack, slackGradient, worstCaseBound } from './slack.ts';

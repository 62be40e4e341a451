/**
 * `pc-ae/math`: the paper as executable mathematics, in float64 and plain loops, with the losses it is stated for.
 *
 * @module pc-ae/math
 */
export * from './losses/index.ts';
export * from './math/index.ts';
export { gaussians } from './solvers/gaussians.ts';
export { type Noise, noiseInCorrelations } from './training/noise.ts';

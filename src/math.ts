/** `pc-ae/math`: the paper as executable mathematics, in float64 and plain loops, and the losses that it is stated for. */
export * from './losses/index.ts';
export * from './math/index.ts';
export { gaussians } from './solvers/gaussians.ts';
export { type Noise, noiseInCorrelations } from './training/noise.ts';

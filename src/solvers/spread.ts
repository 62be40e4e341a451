import { type Shape, widthOf } from '../engine/engine.ts';

/**
 * Mean and covariance (H x H) of codes, from their second moments E E^T / n (width x width). Without a bias
 * unit, whose column holds the mean, they are about 0.
 */
export function spreadOf(
  moments: Float32Array | Float64Array,
  { H, bias }: Pick<Shape, 'H' | 'bias'>,
): { readonly mean: Float64Array; readonly covariance: Float64Array } {
  const width = widthOf({ H, bias });
  const mean = Float64Array.from({ length: H }, (_, h) => (bias ? moments[h * width + H] : 0));
  const covariance = new Float64Array(H * H);
  for (let i = 0; i < H; i++) {
    for (let j = 0; j < H; j++) covariance[i * H + j] = moments[i * width + j] - mean[i] * mean[j];
  }
  return { mean, covariance };
}

import { type Place, widthOf } from '../engine/engine.ts';
import { changeCodes } from '../solvers/codes.ts';

/**
 * Codes and weights, which are turned and scaled together: the scores W e, and so the loss, do not change.
 */
export type Factors = Pick<Place, 'shape' | 'W' | 'E'>;

/** Divides codes and multiplies weights by each unit's scale. */
export async function rescale(factors: Factors, n: number, scale: Float64Array): Promise<void> {
  const { H } = factors.shape;
  const width = widthOf(factors.shape);
  const W = await factors.W.read();
  for (let i = 0; i < W.length; i++) if (i % width < H) W[i] *= scale[i % width];
  factors.W.write(W);
  await changeCodes(factors.E, n, factors.shape, (e, h) => e / scale[h]);
}

import { type Engine, widthOf } from '../../engine/engine.ts';
import { type Factors, rescale } from '../scale.ts';
import { turnUnits } from '../turn.ts';

/**
 * Turns units to their principal axes and scales them so that E E^T / n = W^T W, both diagonal.
 *
 * With one ridge for codes and weights, both can be optimal on these axes alone. Let G be the gradient of the
 * slack in W. Optimal codes satisfy W^T G = -ridge E E^T / n; optimal weights satisfy G = -ridge W, and so
 * W^T G = -ridge W^T W.
 */
export async function balanceUnits(engine: Engine, n: number, factors: Factors): Promise<void> {
  await turnUnits(engine, n, factors);
  const { V, H } = factors.shape;
  const width = widthOf(factors.shape);
  const gram = await engine.gram(factors.W, V, width);
  const scale = Float64Array.from({ length: H }, (_, h) => Math.max(gram[h * (width + 1)], LEAST) ** -0.25);
  await rescale(factors, n, scale);
}

/** The least squared length of a unit's weights, so that a unit without weights is not divided by 0. */
const LEAST = 1e-12;

import { type Engine, widthOf } from '../../engine/engine.ts';
import { type Factors, rescale } from '../scale.ts';
import { turnUnits } from '../turn.ts';

/**
 * Units turned to their principal axes, then scaled so that E E^T / n = W^T W (both diagonal). Codes at the
 * optimum of a row's problem with a ridge have W^T r = -ridge e for its residuals r / 2, so that W^T G =
 * -ridge E E^T / n for the gradient G of the slack. Weights at the optimum of theirs have G = -ridge W, and
 * W^T G = -ridge W^T W: with one ridge for both, these are the only axes where both can hold.
 */
export async function balanceUnits(engine: Engine, n: number, factors: Factors): Promise<void> {
  await turnUnits(engine, n, factors);
  const { V, H } = factors.shape;
  const width = widthOf(factors.shape);
  const gram = await engine.gram(factors.W, V, width);
  const scale = Float64Array.from({ length: H }, (_, h) => Math.max(gram[h * (width + 1)], LEAST) ** -0.25);
  await rescale(factors, n, scale);
}

/** The square of a unit that is off. */
const LEAST = 1e-12;

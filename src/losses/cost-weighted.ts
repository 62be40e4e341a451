import { deriveLoss } from './derive.ts';
import type { Loss } from './loss.ts';

export interface Costs {
  /** The price of a false one: multiplies l-, the cost of leaning to 1 when the bit is 0. */
  readonly falseOne: number;
  /** The price of a false zero: multiplies l+, the cost of leaning to 0 when the bit is 1. */
  readonly falseZero: number;
}

/**
 * Any loss with its two kinds of error priced differently. The ratio minus'/|plus'| is only multiplied by a
 * constant, so Psi stays convex (see `Loss`); it is derived numerically.
 */
export function costWeighted(loss: Loss, costs: Costs): Loss {
  const { falseOne, falseZero } = costs;
  for (const [key, cost] of Object.entries({ falseOne, falseZero })) {
    if (!(cost > 0 && Number.isFinite(cost))) {
      throw new Error(`costWeighted: ${key} is ${cost}; expected a positive finite number`);
    }
  }
  return deriveLoss(
    `cost-weighted(${loss.name}, falseOne=${falseOne}, falseZero=${falseZero})`,
    (y) => falseZero * loss.plus(y),
    (y) => falseOne * loss.minus(y),
  );
}

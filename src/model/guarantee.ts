import type { ModelParts } from './model.ts';

/** How far the correlations of new data may be from B: one number, or one a bit (eps_v). */
export type Drift = number | Float64Array | Float32Array;

export interface Guarantee {
  /** The worst-case loss per row, over all data with these codes and correlations within the drift of B. */
  readonly bound: number;
  /** The part of it that the drift adds: (1/2) sum_v eps_v |w_v|_1. */
  readonly driftCost: number;
}

/**
 * (1/2) sum_v [ gamma(w_v, b_v) + eps_v |w_v|_1 ] (Thm. 1 and App. C.1). With B measured at the training codes the
 * slack is their mean loss; the bias unit's correlations, the bits' means, may drift like any other.
 */
export function worstCase(model: ModelParts, drift: Drift): Guarantee {
  const { V, W } = model;
  const width = W.length / V;
  let driftCost = 0;
  for (let v = 0; v < V; v++) {
    const eps = typeof drift === 'number' ? drift : drift[v];
    if (!(eps >= 0)) throw new RangeError(`guarantee: drift must be at least 0, got ${eps} for bit ${v}`);
    const weight = 0.5 * (model.columnWeights?.[v] ?? 1);
    for (let h = 0; h < width; h++) driftCost += weight * eps * Math.abs(W[v * width + h]);
  }
  return { bound: model.training.loss + driftCost, driftCost };
}

/** How far correlations B' are from the remembered B: for each bit, the largest difference over the units. */
export function driftOf(model: ModelParts, correlations: Float64Array): Float64Array {
  const width = model.W.length / model.V;
  const eps = new Float64Array(model.V);
  for (let i = 0; i < correlations.length; i++) {
    const v = Math.floor(i / width);
    eps[v] = Math.max(eps[v], Math.abs(correlations[i] - model.B[i]));
  }
  return eps;
}

/**
 * What B guarantees for other codes than the training ones, on any data whose correlations with them are as close to
 * B as B' is: (1/2) sum_v [ gamma(w_v, b_v) + eps_v |w_v|_1 ] at those codes (App. C.1).
 *
 * The slack's Psi term depends on the codes alone and its linear term on the correlations alone, so the slack at B is
 * the loss plus (1/2) <B' - B, W>. The result is never below the loss; on the training rows, where B' = B, it is equal.
 */
export function boundForCodes(model: ModelParts, loss: number, correlations: Float64Array): number {
  let difference = 0;
  const width = model.W.length / model.V;
  for (let i = 0; i < model.W.length; i++) {
    const weight = model.columnWeights?.[Math.floor(i / width)] ?? 1;
    difference += weight * (correlations[i] - model.B[i]) * model.W[i];
  }
  return loss + 0.5 * difference + worstCase(model, driftOf(model, correlations)).driftCost;
}

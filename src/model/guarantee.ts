import { sum } from '../rows/sum.ts';
import type { ModelParts } from './parts.ts';

/**
 * How far new correlations may be from B: one number, one per bit (eps_v), or one per correlation (like B).
 */
export type Drift = number | Float64Array | Float32Array | readonly number[];

export interface Guarantee {
  /** The worst-case loss per row, over all data with these codes and correlations within the drift of B. */
  readonly bound: number;
  /** The part of the bound that the drift adds: (1/2) sum_vh eps_vh |w_vh|. */
  readonly driftCost: number;
  /** The same for each bit: (1/2) sum_h eps_vh |w_vh|. */
  readonly driftCosts: Float64Array;
}

/**
 * The worst case (1/2) sum_v [ gamma(w_v, b_v) + sum_h eps_vh |w_vh| ] (Thm. 1 and App. C.1, whose proof
 * holds for a drift per correlation as well as per bit). B was measured at the training codes, so the slack
 * is their mean loss. The bias unit's correlations, the bits' means, may drift like any other.
 */
export function worstCase(model: ModelParts, drift: Drift): Guarantee {
  const { V, W } = model;
  const width = W.length / V;
  if (typeof drift !== 'number' && drift.length !== V && drift.length !== W.length) {
    const expected = `one number, one for each of ${V} bits or one for each of ${W.length} correlations`;
    throw new RangeError(`guarantee: drift must be ${expected}, got ${drift.length}`);
  }
  const eps = (v: number, h: number) =>
    typeof drift === 'number' ? drift : drift.length === V ? drift[v] : drift[v * width + h];
  const driftCosts = new Float64Array(V);
  for (let v = 0; v < V; v++) {
    const weight = 0.5 * (model.columnWeights?.[v] ?? 1);
    for (let h = 0; h < width; h++) {
      if (!(eps(v, h) >= 0)) {
        throw new RangeError(`guarantee: drift must be at least 0, got ${eps(v, h)} for bit ${v}`);
      }
      const w = Math.abs(W[v * width + h]);
      // A drift may be infinite where the weight is 0, and infinity times 0 would be NaN.
      if (weight !== 0 && w !== 0) driftCosts[v] += weight * eps(v, h) * w;
    }
  }
  const driftCost = sum(driftCosts);
  const { loss, bound = loss } = model.training;
  return { bound: bound + driftCost, driftCost, driftCosts };
}

/** The distance of each correlation B' from the remembered one; 0 for correlations that are not used. */
export function driftOf(model: ModelParts, correlations: Float64Array): Float64Array {
  const { H, chosen, V, B } = model;
  const width = B.length / V;
  const isUsed = (i: number) => i % width >= H || chosen?.[Math.floor(i / width) * H + (i % width)] !== 0;
  return correlations.map((value, i) => (isUsed(i) ? Math.abs(value - B[i]) : 0));
}

/**
 * What B guarantees for codes of new rows, whose correlations are B': the worst case over all data with these
 * codes whose correlations are no further from B than B' is (App. C.1),
 *
 *     (1/2) sum_v [ gamma(w_v, b_v) + sum_h |b'_vh - b_vh| |w_vh| ].
 *
 * The slack's Psi term depends on the codes alone and its linear term on the correlations alone, so the slack
 * at B is the loss plus (1/2) <B' - B, W>. The result is never below the loss; on the training rows, where
 * B' = B, it is equal.
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

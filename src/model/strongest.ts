import type { ModelParts } from './parts.ts';

/** What a hidden unit stands for: the columns with its largest positive and negative weights. */
export interface UnitFeatures {
  /** Counts from 1. */
  readonly unit: number;
  /**
   * Euclidean length of the unit's weights. Lengths can be compared if the codes have the same scale, as real
   * codes do; box codes have a scale of their own for each unit.
   */
  readonly length: number;
  readonly on: readonly Feature[];
  readonly off: readonly Feature[];
}

export interface Feature {
  readonly column: string;
  readonly weight: number;
}

/** For each unit, the `count` columns that it switches on and off most, by name or by number from 0. */
export function strongestFeatures(
  model: Pick<ModelParts, 'V' | 'H' | 'W' | 'columns'>,
  count: number,
): UnitFeatures[] {
  const { V, H, W, columns } = model;
  const width = W.length / V;
  return Array.from({ length: H }, (_, h) => {
    const weights = Float32Array.from({ length: V }, (_, v) => W[v * width + h]);
    const order = Array.from(weights.keys()).sort((a, b) => weights[b] - weights[a] || a - b);
    const feature = (v: number): Feature => ({ column: columns?.[v] || String(v), weight: weights[v] });
    return {
      unit: h + 1,
      length: Math.sqrt(weights.reduce((sum, weight) => sum + weight * weight, 0)),
      on: order
        .slice(0, count)
        .filter((v) => weights[v] > 0)
        .map(feature),
      off: [...order]
        .reverse()
        .slice(0, count)
        .filter((v) => weights[v] < 0)
        .map(feature),
    };
  });
}

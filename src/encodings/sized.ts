import { box } from './box.ts';
import type { CodeSet } from './encoding.ts';

/** A set at one size. */
export interface SizedSet {
  project(e: Float64Array): void;
  gap(g: Float64Array, e: Float64Array): number;
}

/** The set at that size; the symmetric box if none is given. */
export function sized(set: CodeSet = box, radius: number): SizedSet {
  return { project: (e) => set.project(e, radius), gap: (g, e) => set.gap(g, e, radius) };
}

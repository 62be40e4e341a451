/**
 * The contract of an encoding: the set that codes are taken from (Sec. 3.1; the proof of Theorem 1 assumes no
 * structure on them). A convex set needs two things: the nearest point, and the most that a linear function can
 * fall by inside the set, which is what turns a gradient into a certificate.
 */
export interface Encoding {
  readonly name: EncodingName;
  /** Whether codes are true bits: a set without a convex problem of its own. */
  readonly discrete: boolean;
  /** Moves e, in place, to the nearest point of the set. */
  project(e: Float64Array): void;
  /** max over e' in the set of g . (e - e'): with g the gradient at e, an upper bound on f(e) - f*. */
  gap(g: Float64Array, e: Float64Array): number;
}

export type EncodingName = 'box' | 'real' | 'bits' | SetName;

/** Convex sets that are no symmetric box: the engine confines codes to them by name. */
export type SetName = 'nonnegative' | 'simplex' | 'ball';

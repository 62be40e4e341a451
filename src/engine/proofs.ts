/** Options and results of the operations that prove codes and weights: `slopes`, `bounds` and `polish`. */

import type { CodeSet } from '../encodings/encoding.ts';
import type { Floats } from './engine.ts';

/**
 * How dual points are moved: along a direction d per item (items x width), or along Newton's step with this
 * ridge. An engine may move only the entries with the most curvature, along the step of their own Hessian.
 */
export type DualMove = { readonly directions: Floats } | { readonly ridge: number };

/**
 * One entry per item of the range, in order. The dual point is u_k = Psi'(m_k), or, along a direction d,
 * where Newton's step would lead: u_k = Psi'(m_k) + Psi''(m_k) a_k . d, cut to [-1, 1]. By Fenchel and Young,
 * Psi(m) >= u m - Psi*(u), so that the item's loss at any z is at least
 *
 *     gradient . z - conjugate
 */
export interface Slopes {
  readonly losses: Float64Array;
  /** sum_k weight_k (1/2) Psi*(u_k). */
  readonly conjugates: Float64Array;
  /**
   * sum_k weight_k (1/2) (u_k - x_k) a_k, width numbers per item. Without a move, the gradient of its loss.
   */
  readonly gradients: Float64Array;
}

/**
 * Bounds on the objective of each bit, loss + (ridge/2) |w|^2 without the bias: one entry per bit of the
 * range, in order. They hold for the objective in exact arithmetic.
 */
export interface Bounds {
  /** An upper bound on the objective at the present weights. */
  readonly objectives: Float64Array;
  /** A lower bound on the objective at any weights; 0 if nothing better is known. */
  readonly floors: Float64Array;
  /**
   * The most that other weights can gain. It may be less than the difference of the two bounds, because
   * rounding errors that both have in common cancel.
   */
  readonly gaps: Float64Array;
}

export interface PolishOptions {
  /** A code is done when it is proven to be within this many nats of its optimum. */
  readonly tolerance: number;
  readonly steps: number;
  /** Codes satisfy |e_h| <= radius, and the proof holds among all codes that do. */
  readonly radius: number;
  /** Codes lie in this set of size `radius` instead, and the proof holds among its codes. */
  readonly set?: CodeSet;
  /** Rows of the block to work on (default: the whole range). */
  readonly rows?: Int32Array;
  /** As in `SolveOptions`, for an engine that goes most of the way by conjugate gradients. */
  readonly inverseHessian?: Floats;
}

/** One entry per row that was worked on, in order; in nats, computed in float64. */
export interface Certificates {
  readonly losses: Float64Array;
  readonly gaps: Float64Array;
}

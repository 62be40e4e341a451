/** Options of the operations on codes of true bits: `flip`, `anneal` and `relax`. */

import type { Floats, Running, Sums } from './engine.ts';

export interface FlipOptions {
  /** The most sweeps over the H bits. */
  readonly sweeps: number;
  /** Also try pairs once no single flip helps. */
  readonly pairs: boolean;
  readonly losses?: Floats;
  readonly sums?: Sums;
}

/**
 * Mean field: independent random bits with means e = tanh(a) have, to second order, the expected loss
 *
 *     loss(e) + (1/2) sum_h c_h (1 - e_h^2).
 *
 * Minus T times their entropy, it is stationary where a_h = -(g_h - c_h e_h) / T, with g the gradient of the
 * loss in e. Damped steps follow this point while T falls geometrically. The signs of a are the bits, and
 * single flips bring them to a local optimum.
 */
export interface AnnealOptions {
  /**
   * Starting values of a, starts x H: the same for every row, so that a row's code depends on nothing else.
   */
  readonly starts: Floats;
  readonly iterations: number;
  /** Temperatures of the first and the last iteration. */
  readonly hot: number;
  readonly cold: number;
  /** The share of the way to the fixed point that each step goes, 0 to 1. */
  readonly damping: number;
  /** c_h (H): sum_v D_v W_vh^2 with D_v the mean over rows of Psi''(m_v) / 2. */
  readonly curvatures: Floats;
  /** The most sweeps of flips after each start. */
  readonly sweeps: number;
  /** Search on quadratic models after each start, instead of flips of the signs alone. */
  readonly probing?: Probing;
  /** Whether a row's present code is a candidate too, so that no row's loss rises. */
  readonly keep: boolean;
  /** Loss of each row at its code. */
  readonly losses?: Floats;
}

/**
 * A search after annealing, whose final means need not be settled. The loss is expanded to second order
 * there, and a tabu search on this model (`stretches` times `steps` flips) proposes one code per stretch. The
 * best of them by the true loss is flipped to a local optimum, around which further expansions are made.
 */
export interface Probing {
  readonly expansions: number;
  readonly stretches: number;
  readonly steps: number;
}

/**
 * Mean-field steps at one temperature on parameters a, which take the place of the codes in E. Then the
 * gradient in W of the expected loss of random bits with means e = tanh(a), to second order: the gradient at
 * e, before the last step, plus D_v W_vh mean(1 - e_h^2) for the curvature. Everything stays in the engine,
 * and nothing is read back between two minibatches.
 */
export interface RelaxOptions {
  readonly steps: number;
  /** In units of the mean curvature of the units, sum_v D_v W_vh^2. */
  readonly temperature: number;
  readonly damping: number;
  /**
   * D_v (V), the running mean over rows of Psi''(m_v) / 2, which moves a share `follow` of the way to the
   * mean of these rows.
   */
  readonly bends: Running;
  readonly follow: number;
  /** Summed over the rows of the range, V x width; overwritten. */
  readonly gradient: Floats;
  /** Loss of each row at its means. */
  readonly losses?: Floats;
}

/**
 * The contract of a reconstruction loss (Sec. 5.1, App. D).
 *
 * A loss is given by two partial losses over reconstructions y in [-1, 1]: `plus(y)` is what y costs when the
 * true bit is +1, `minus(y)` when it is -1. `plus` decreases and `minus` increases (Assumption 1); neither
 * need be convex. Everything else follows: Gamma(y) = minus(y) - plus(y) increases, its (pseudo)inverse is
 * the decoder's transfer function, and the potential well
 *
 *     Psi(m) = min over y of max(2 plus(y) + m, 2 minus(y) - m)        (the proof of Thm. 1, App. C)
 *
 * is what learning minimises. Psi is 1-Lipschitz for every such loss. It is convex, which the solvers need,
 * exactly when minus'/|plus'| does not decrease; convex partial losses are enough, but not necessary.
 */
export interface Loss {
  /** The name under which a model file remembers it. */
  readonly name: string;
  /** l+(y): the cost of reconstruction y when the bit is +1. */
  plus(y: number): number;
  /** l-(y): the cost of reconstruction y when the bit is -1. */
  minus(y: number): number;
  /** Gamma(y) = l-(y) - l+(y), from [-1, 1] to the (possibly infinite) interval [Gamma(-1), Gamma(1)]. */
  gamma(y: number): number;
  /** The optimal reconstruction for score m: Gamma^-1(m) inside the interval, -1 or 1 beyond it (App. D). */
  transfer(m: number): number;
  /** Psi(m), convex; `l+ + l-` at `transfer(m)`, continued linearly with slope -1 and 1. */
  psi(m: number): number;
  /**
   * Psi'(m), in [-1, 1]; at a kink, a value between the slopes. For proper losses it equals `transfer(m)`.
   */
  psiPrime(m: number): number;
  /** Psi''(m) >= 0; where Psi has a kink, the value on either side. */
  psiSecond(m: number): number;
  /** sup Psi'': the curvature that first-order steps may rely on; Infinity where Psi has a kink. */
  readonly curvature: number;
  /**
   * Psi*(u) = sup_m (u m - Psi(m)) for u in [-1, 1], which is -min over y of (1+u) l+(y) + (1-u) l-(y): minus
   * twice the least expected loss on a bit of mean u. The dual certificate is made of it.
   */
  conjugate(u: number): number;
}

/**
 * The contract of a reconstruction loss (Sec. 5.1, App. D).
 *
 * A loss is given by two partial losses over reconstructions y in [-1, 1]: `plus(y)` is what y costs when the
 * true bit is +1, `minus(y)` when it is -1. `plus` decreases and `minus` increases (Assumption 1); neither need
 * be convex. Everything else follows: Gamma(y) = minus(y) - plus(y) increases, its (pseudo)inverse is the
 * decoder's transfer function, and the potential well Psi is what learning minimises.
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
  /** The optimal reconstruction for score m: Gamma^-1(m) inside the interval, -1 or 1 beyond it (Eq. 7). */
  transfer(m: number): number;
  /** Psi(m), convex; `l+ + l-` at `transfer(m)`, continued linearly with slope -1 and 1. */
  psi(m: number): number;
  /** Psi'(m), in [-1, 1]. For proper losses (cross-entropy, squared) it equals `transfer(m)`. */
  psiPrime(m: number): number;
  /** Psi''(m) >= 0; where Psi has a kink, the value on either side. */
  psiSecond(m: number): number;
  /** sup Psi'': the curvature that first-order steps may rely on; Infinity where Psi has a kink. */
  readonly curvature: number;
  /** Psi*(u) = sup_m (u m - Psi(m)) for u in [-1, 1]: what the dual certificate is made of. */
  conjugate(u: number): number;
}

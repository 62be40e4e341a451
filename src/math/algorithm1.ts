import type { Loss } from '../losses/loss.ts';
import { correlations } from './correlations.ts';
import { optimalWeights } from './decode.ts';
import { objective } from './distortion.ts';
import { type Domain, encodeAll } from './encode.ts';
import type { Matrix } from './matrix.ts';
import type { SolverOptions } from './minimise.ts';

export interface Algorithm1Result {
  /** W_T, E_T and B_T of the last round. */
  readonly W: Matrix;
  readonly E: Matrix;
  readonly B: Matrix;
  /** L(W_{t-1}, E_t) and L(W_t, E_t) for t = 1..T, in this order: never increasing (Sec. 3.4). */
  readonly history: readonly number[];
}

/**
 * Algorithm 1, as printed: encode every example with W_{t-1}, measure the correlations B_t, minimise every
 * slack. Both steps are solved to high accuracy and start from the round before, so that L cannot rise even
 * where the minimum is at infinity. X is n x V, W0 V x H.
 */
export function algorithm1(
  loss: Loss,
  X: Matrix,
  W0: Matrix,
  T: number,
  options: SolverOptions & { readonly domain?: Domain } = {},
): Algorithm1Result {
  let W = W0;
  let E: Matrix | undefined;
  let B: Matrix | undefined;
  const history: number[] = [];
  for (let t = 1; t <= T; t++) {
    E = encodeAll(loss, W, X, { ...options, start: E });
    B = correlations(X, E);
    history.push(objective(loss, W, E, X));
    W = optimalWeights(loss, E, B, { ...options, start: W });
    history.push(objective(loss, W, E, X));
  }
  if (!E || !B) throw new Error(`algorithm1: T is ${T}; expected at least one round`);
  return { W, E, B, history };
}

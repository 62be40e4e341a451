import { choleskySolve } from 'pc-ae/math';
import { packedSize } from '../work/hessians.ts';

/** Sums over all rows at their codes, in float64. */
export interface RoundSums {
  /** V x width. */
  readonly gradient: ArrayLike<number>;
  /** An upper triangle per bit. */
  readonly hessians: ArrayLike<number>;
  /** Second moments of the codes, width x width. */
  readonly moments: ArrayLike<number>;
}

/**
 * One Newton step on W for the codes as they are, bit by bit: the mean loss and (ridge/2) |w|^2, which leaves the bias alone.
 * Nobody can try how far to go without another pass over the data. The curvature of the cross-entropy changes by a factor of
 * at most exp(r) where scores change by r; a step of log(1 + r) / r therefore never overshoots, and is all of it in the end.
 */
export function newtonStep(
  W: Float32Array,
  { gradient, hessians, moments }: RoundSums,
  { n, H, ridge, width }: { n: number; H: number; ridge: number; width: number },
): Float32Array {
  const next = W.slice();
  const size = packedSize(width);
  for (let v = 0; v * width < W.length; v++) {
    const S = new Float64Array(width * width);
    let at = v * size;
    for (let i = 0; i < width; i++) {
      for (let j = i; j < width; j++) {
        S[i * width + j] = hessians[at] / n;
        S[j * width + i] = hessians[at++] / n;
      }
    }
    const g = Float64Array.from({ length: width }, (_, h) => {
      return gradient[v * width + h] / n + (h < H ? ridge * W[v * width + h] : 0);
    });
    for (let h = 0; h < width; h++)
      S[h * width + h] = S[h * width + h] * (1 + RAISED) + (h < H ? ridge : LEAST);
    const d = choleskySolve(S, g);
    // Weights whose loss does not bend, as far as numbers tell, stay.
    if (!d) continue;
    const r = FAR * Math.sqrt(quadratic(moments, d, width) / n);
    const length = r > 0 ? Math.log1p(r) / r : 1;
    for (let h = 0; h < width; h++) next[v * width + h] = W[v * width + h] - length * d[h];
  }
  return next;
}

/** d^T M d: with second moments M, the mean square of the change of scores. */
function quadratic(M: ArrayLike<number>, d: ArrayLike<number>, width: number): number {
  let sum = 0;
  for (let i = 0; i < width; i++) for (let j = 0; j < width; j++) sum += d[i] * M[i * width + j] * d[j];
  return Math.max(0, sum);
}

/** The diagonal is raised by this share of itself, as the engine does. */
const RAISED = 1e-4;
/** What the bias unit's diagonal is raised by: bits that are the same in nearly all rows bend next to nothing. */
const LEAST = 1e-6;
/** Standard deviations that the scores of rows may change by. */
const FAR = 3;

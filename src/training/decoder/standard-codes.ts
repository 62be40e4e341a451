import { type Shape, widthOf } from '../../engine/engine.ts';
import { type Matrix, matrix, row } from '../../math/matrix.ts';

/**
 * Standard coordinates of codes, in which learning is well conditioned: each unit has mean 0 (if a bias unit
 * can take up the mean) and deviation 1, and the last column is the bias unit's constant 1. With matching
 * weights the scores are the same, so this is only a choice of coordinates.
 */
export interface Scaling {
  readonly H: number;
  readonly bias: boolean;
  /** H, or H + 1 with the bias unit. */
  readonly width: number;
  /** Zero without a bias unit. */
  readonly mean: Float64Array;
  /** Root mean square about `mean`; 1 for a unit that is constant. */
  readonly deviation: Float64Array;
}

/** Codes, and the weights of their rows if these are not all equal. */
interface GivenCodes {
  readonly H: number;
  /** n x H. */
  readonly codes: Float32Array;
  readonly rowWeights?: Float64Array;
}

/** Mean and deviation of each unit over the codes. */
export function scalingOf({ codes, H, rowWeights }: GivenCodes, bias: boolean): Scaling {
  const n = codes.length / H;
  const mean = new Float64Array(H);
  const deviation = new Float64Array(H);
  let total = 0;
  for (let i = 0; i < n; i++) total += rowWeights?.[i] ?? 1;
  for (let i = 0; bias && i < n; i++) {
    const share = (rowWeights?.[i] ?? 1) / total;
    for (let h = 0; h < H; h++) mean[h] += share * codes[i * H + h];
  }
  for (let i = 0; i < n; i++) {
    const share = (rowWeights?.[i] ?? 1) / total;
    for (let h = 0; h < H; h++) deviation[h] += share * (codes[i * H + h] - mean[h]) ** 2;
  }
  for (let h = 0; h < H; h++) {
    const root = Math.sqrt(deviation[h]);
    deviation[h] = root > 1e-6 * Math.abs(mean[h]) ? root : 1;
  }
  return { H, bias, width: widthOf({ H, bias }), mean, deviation };
}

/** Codes in float64, with the bias unit's 1 if there is one: n x width. */
export function codeMatrix(codes: Float32Array, { H, bias }: Pick<Shape, 'H' | 'bias'>): Matrix {
  const E = matrix(codes.length / H, widthOf({ H, bias }));
  E.data.fill(1);
  for (let i = 0; i < E.rows; i++) row(E, i).set(codes.subarray(i * H, (i + 1) * H));
  return E;
}

/** The codes in standard coordinates: n x width. */
export function standardised(codes: Float32Array, scaling: Scaling): Float32Array {
  const { H, width, mean, deviation } = scaling;
  const n = codes.length / H;
  const out = new Float32Array(n * width).fill(1);
  for (let i = 0; i < n; i++) {
    for (let h = 0; h < H; h++) out[i * width + h] = (codes[i * H + h] - mean[h]) / deviation[h];
  }
  return out;
}

/** Weights for the given codes (V x width) as weights for standardised codes. */
export function toStandard(W: ArrayLike<number>, scaling: Scaling): Float64Array {
  const { H, width, bias, mean, deviation } = scaling;
  const out = Float64Array.from(W);
  for (let at = 0; at < out.length; at += width) {
    for (let h = 0; h < H; h++) {
      if (bias) out[at + H] += W[at + h] * mean[h];
      out[at + h] *= deviation[h];
    }
  }
  return out;
}

/** The inverse of `toStandard`. */
export function fromStandard(W: ArrayLike<number>, scaling: Scaling): Float64Array {
  const { H, width, bias, mean, deviation } = scaling;
  const out = Float64Array.from(W);
  for (let at = 0; at < out.length; at += width) {
    for (let h = 0; h < H; h++) {
      out[at + h] /= deviation[h];
      if (bias) out[at + H] -= out[at + h] * mean[h];
    }
  }
  return out;
}

/** Numbers that are linear in codes (correlations or gradients, V x width), for standardised codes. */
export function linearToStandard(G: ArrayLike<number>, scaling: Scaling): Float64Array {
  const { H, width, bias, mean, deviation } = scaling;
  const out = Float64Array.from(G);
  for (let at = 0; at < out.length; at += width) {
    for (let h = 0; h < H; h++) out[at + h] = (G[at + h] - (bias ? mean[h] * G[at + H] : 0)) / deviation[h];
  }
  return out;
}

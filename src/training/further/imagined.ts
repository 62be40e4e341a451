import type { Encoding } from '../../encodings/encoding.ts';
import { type Engine, floatsOf, type Shape, widthOf } from '../../engine/engine.ts';
import type { Loss } from '../../losses/loss.ts';
import { sampled } from '../../losses/sampled.ts';
import { factor, orthonormalise } from '../../math/linear.ts';
import { withBias } from '../../solvers/codes.ts';
import { gaussians } from '../../solvers/gaussians.ts';
import { spreadOf } from '../../solvers/spread.ts';

/** What is known of codes that are gone, and of the weights that were learned with them. */
interface Memory {
  readonly shape: Shape;
  readonly encoding: Encoding;
  readonly radius: number;
  readonly loss: Loss;
  /** V x width. */
  readonly W: Float32Array;
  /** E E^T / n: width x width. */
  readonly moments: Float32Array;
  /** Mean over rows of Psi''(m_v) / 2. */
  readonly curvature: Float32Array;
  readonly seed: number;
}

/** Codes, count x width, and for each the row that W hallucinates, count x V. */
export interface Imagined {
  readonly codes: Float32Array;
  readonly values: Float32Array;
  /**
   * For each bit, how many times as much the rows that are gone resist a change of its weights; at least 1.
   */
  readonly stiffer: Float64Array;
}

/**
 * Rows in the place of those that W was learned from: Gaussian codes with the same mean and second moments,
 * brought into the set of codes, each with the row x = Psi'(W e). Whatever the codes are, W is where the mean
 * loss of these rows is smallest: its gradient (1/2) mean (Psi'(W e) - x) e^T vanishes row by row.
 */
export async function imagine(engine: Engine, memory: Memory, count: number): Promise<Imagined> {
  const { shape, loss } = memory;
  const width = widthOf(shape);
  const codes = withBias(imaginedCodes(memory, count), shape.H, width);
  const [W, E] = [memory.W, codes].map((values) => floatsOf(engine, values));
  const range = { start: 0, end: count };
  const scores = await engine.decode({ W, E, shape, range, loss }, 'scores');
  for (const floats of [W, E]) floats.free();
  const { psiPrime } = sampled(loss);
  const values = scores.map((score) => Math.max(-1, Math.min(1, psiPrime(score))));
  return { codes, values, stiffer: stiffness(memory, scores) };
}

/**
 * Real codes have outliers, which second moments are full of: most are at scores where Psi bends. Normal
 * codes of the same moments are further out, and bits may bend at them thirty times less than is remembered.
 * Codes where they bend are shorter than others, so that along most directions the Hessian is off by the root
 * of that only. But along the bit's own weights it is off by more, and there new rows pull: with the root,
 * forty single pictures made others 1.4% worse.
 */
function stiffness({ curvature, loss }: Memory, scores: Float32Array): Float64Array {
  const { psiSecond } = sampled(loss);
  const V = curvature.length;
  const bend = new Float64Array(V);
  scores.forEach((score, k) => {
    bend[k % V] += (psiSecond(score) * V) / (2 * scores.length);
  });
  return bend.map((now, v) => (now > 0 ? Math.max(1, Math.min(MOST_STIFFER, curvature[v] / now)) : 1));
}

const MOST_STIFFER = 100;

/** count x H. */
function imaginedCodes({ shape, encoding, radius, moments, seed }: Memory, count: number): Float32Array {
  const { H } = shape;
  const { mean, covariance } = spreadOf(moments, shape);
  const L = factor(covariance, H, 1e-6);
  const normal = standardNormal(count, H, seed);
  const codes = new Float32Array(count * H);
  const e = new Float64Array(H);
  for (let i = 0; i < count; i++) {
    for (let h = 0; h < H; h++) {
      e[h] = mean[h];
      for (let k = 0; k <= h; k++) e[h] += L[h * H + k] * normal[i * H + k];
    }
    encoding.project(e, radius);
    codes.set(e, i * H);
  }
  return codes;
}

/** count x H normal numbers in pairs of opposite sign, with mean exactly 0 and second moments exactly 1. */
function standardNormal(count: number, H: number, seed: number): Float64Array {
  const half = count / 2;
  const drawn = gaussians(half * H, seed);
  orthonormalise(drawn, half, H);
  const out = new Float64Array(count * H);
  drawn.forEach((z, k) => {
    out[k] = z * Math.sqrt(half);
    out[half * H + k] = -out[k];
  });
  return out;
}

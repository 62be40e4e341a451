import type { Engine } from '../../engine/engine.ts';
import type { Loss } from '../../losses/loss.ts';
import { entry, type Rows } from '../../rows/rows.ts';
import { linearToStandard, type Scaling, toStandard } from './standard-codes.ts';

/** Codes, and what is known of the data they stand for: the rows, or their correlations with the codes alone. */
export interface DecoderProblem {
  readonly V: number;
  /** n x H. */
  readonly codes: Float32Array;
  /** Rows may have missing entries: those neither constrain nor count. */
  readonly rows?: Rows;
  /** B = X E^T / n, V x width; the bias unit's column, the last, holds the bits' means. Instead of rows. */
  readonly B?: ArrayLike<number>;
  readonly rowWeights?: Float64Array;
}

export interface DecoderCertificate {
  /** The correlations B, V x width. */
  readonly B: Float64Array;
  /** (1/2) sum_v gamma(w_v, b_v), in the unit of the loss, per row: the worst case (Thm. 1), and the loss of the rows. */
  readonly loss: number;
  /** `loss` with the ridge's penalty: what was minimised. */
  readonly objective: number;
  /** The largest difference of a hallucinated correlation from B's (App. A.2), for codes of unit deviation. */
  readonly residual: number;
  /** No weights have an objective that is lower by more than this; Infinity without a ridge, which proves nothing. */
  readonly gap: number;
  /** Mean over rows of Psi''(m_v) / 2: what preconditions the encoding of rows with this decoder. */
  readonly curvature: Float32Array;
}

/**
 * Where weights stand, in float64, at the float32 codes and weights as they are.
 *
 * The objective of a bit, f = gamma / 2 + (ridge/2) |w|^2, is strongly convex with constant `ridge`, so that
 * f(w) - f* <= |grad f|^2 / (2 ridge). It is the duality gap at the hallucinated data u = Psi'(W e): the dual value is
 * -(1/2n) sum_i Psi*(u_i) - |(1/n) E^T u - b|^2 / (8 ridge).
 */
export async function measureDecoder(
  engine: Pick<Engine, 'turn'>,
  problem: DecoderProblem,
  W: Float32Array,
  scaling: Scaling,
  settings: { readonly loss: Loss; readonly ridge: number },
): Promise<DecoderCertificate> {
  const { V, rows, codes, rowWeights } = problem;
  const { H, width } = scaling;
  const { loss, ridge } = settings;
  const n = codes.length / H;
  const total = rowWeights ? rowWeights.reduce((sum, weight) => sum + weight, 0) : n;
  const B = problem.B ? Float64Array.from(problem.B) : new Float64Array(V * width);
  const hallucinated = new Float64Array(V * width);
  const curvature = new Float64Array(V);
  const weights = Float64Array.from(W);
  const e = new Float64Array(width).fill(1);
  let psi = 0;
  for (let i = 0; i < n; i++) {
    await engine.turn();
    const share = (rowWeights?.[i] ?? 1) / total;
    for (let h = 0; h < H; h++) e[h] = codes[i * H + h];
    for (let v = 0; v < V; v++) {
      const x = rows ? entry(rows, i, v) : 0;
      if (Number.isNaN(x)) continue;
      const at = v * width;
      let m = 0;
      for (let h = 0; h < width; h++) m += weights[at + h] * e[h];
      psi += share * loss.psi(m);
      curvature[v] += 0.5 * share * loss.psiSecond(m);
      const slope = share * loss.psiPrime(m);
      for (let h = 0; h < width; h++) hallucinated[at + h] += slope * e[h];
      if (rows) for (let h = 0; h < width; h++) B[at + h] += share * x * e[h];
    }
  }
  let linear = 0;
  for (let k = 0; k < B.length; k++) linear += B[k] * weights[k];
  const standard = toStandard(W, scaling);
  const gradient = linearToStandard(
    hallucinated.map((value, k) => (value - B[k]) / 2),
    scaling,
  ).map((g, k) => g + ridge * standard[k]);
  const squares = (values: Float64Array) => values.reduce((sum, value) => sum + value * value, 0);
  const found = (psi - linear) / 2;
  return {
    B,
    loss: found,
    objective: found + 0.5 * ridge * squares(standard),
    residual: 2 * gradient.reduce((most, g) => Math.max(most, Math.abs(g)), 0),
    gap: ridge > 0 ? squares(gradient) / (2 * ridge) : Number.POSITIVE_INFINITY,
    curvature: Float32Array.from(curvature),
  };
}

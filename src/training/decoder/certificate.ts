import type { Engine } from '../../engine/engine.ts';
import type { Loss } from '../../losses/loss.ts';
import { entry, type Rows } from '../../rows/rows.ts';
import { sum } from '../../rows/sum.ts';
import { linearToStandard, type Scaling, toStandard } from './standard-codes.ts';

/** Codes, and either the rows they stand for or only their correlations with these rows. */
export interface DecoderProblem {
  readonly V: number;
  /** Numbers in a code. */
  readonly H: number;
  /** n x H. */
  readonly codes: Float32Array;
  /** The rows. Missing entries neither constrain nor count. */
  readonly rows?: Rows;
  /** Instead of rows: B = X E^T / n, V x width; with a bias unit, the last column is the bits' means. */
  readonly B?: ArrayLike<number>;
  readonly rowWeights?: Float64Array;
}

export interface DecoderCertificate {
  /** The correlations B, V x width. */
  readonly B: Float64Array;
  /** (1/2) sum_v gamma(w_v, b_v) per row: the worst case (Thm. 1), and the loss of the rows. */
  readonly loss: number;
  /** The minimised objective: `loss` with the penalty of the ridge. */
  readonly objective: number;
  /**
   * The largest difference between a hallucinated correlation and B (App. A.2), for codes of unit deviation.
   */
  readonly residual: number;
  /** No weights have an objective that is lower by more than this. Infinity without a ridge. */
  readonly gap: number;
  /** Mean over rows of Psi''(m_v) / 2: what preconditions the encoding of rows with this decoder. */
  readonly curvature: Float32Array;
}

/**
 * Measures weights in float64, at the given float32 codes and weights.
 *
 * Data u in [-1, 1] prove that no weights of a bit have an objective gamma / 2 + (ridge/2) |w|^2 below the
 * dual value
 *
 *     -(1/2n) sum_i Psi*(u_i) - |(1/n) E^T u - b|^2 / (8 ridge).
 *
 * At the hallucinated data u = Psi'(w.e) the gap is |gradient|^2 / (2 ridge). Given the step that Newton
 * would take next, u is moved along it, which takes nearly all of E^T u / n - b away: the bound is then of
 * second order.
 */
export async function measureDecoder(
  engine: Pick<Engine, 'turn'>,
  problem: DecoderProblem,
  W: Float32Array,
  scaling: Scaling,
  settings: { readonly loss: Loss; readonly ridge: number },
  next?: Float64Array,
): Promise<DecoderCertificate> {
  const { V, rows, codes, rowWeights } = problem;
  const { H, width } = scaling;
  const { loss, ridge } = settings;
  const n = codes.length / H;
  const total = rowWeights ? sum(rowWeights) : n;
  const B = problem.B ? Float64Array.from(problem.B) : new Float64Array(V * width);
  const here = new Float64Array(V * width);
  const there = next && { correlations: new Float64Array(V * width), conjugates: new Float64Array(V) };
  const psi = new Float64Array(V);
  const curvature = new Float64Array(V);
  const weights = Float64Array.from(W);
  const e = new Float64Array(width).fill(1);
  const add = (to: Float64Array, at: number, u: number) => {
    for (let h = 0; h < width; h++) to[at + h] += u * e[h];
  };
  for (let i = 0; i < n; i++) {
    await engine.turn();
    const share = (rowWeights?.[i] ?? 1) / total;
    for (let h = 0; h < H; h++) e[h] = codes[i * H + h];
    for (let v = 0; v < V; v++) {
      const x = rows ? entry(rows, i, v) : 0;
      if (Number.isNaN(x)) continue;
      const at = v * width;
      const m = dotAt(weights, at, e);
      const bend = loss.psiSecond(m);
      const u = loss.psiPrime(m);
      psi[v] += share * loss.psi(m);
      curvature[v] += 0.5 * share * bend;
      add(here, at, share * u);
      if (rows) add(B, at, share * x);
      if (!there) continue;
      const moved = Math.max(-1, Math.min(1, u + bend * dotAt(next, at, e)));
      there.conjugates[v] += share * loss.conjugate(moved);
      add(there.correlations, at, share * moved);
    }
  }
  const standard = toStandard(W, scaling);
  const gradientOf = (correlations: Float64Array) =>
    linearToStandard(
      correlations.map((value, k) => (value - B[k]) / 2),
      scaling,
    );
  const gradient = gradientOf(here).map((g, k) => g + ridge * standard[k]);
  const beyond = there && gradientOf(there.correlations);
  const bit = (values: Float64Array, v: number) => values.subarray(v * width, (v + 1) * width);
  let [found, penalties, gap] = [0, 0, 0];
  for (let v = 0; v < V; v++) {
    const slack = (psi[v] - dotAt(weights, v * width, bit(B, v))) / 2;
    const penalty = (ridge / 2) * squares(bit(standard, v));
    found += slack;
    penalties += penalty;
    const gaps = [squares(bit(gradient, v)) / (2 * ridge)];
    if (there) {
      const dual = -there.conjugates[v] / 2 - squares(bit(beyond!, v)) / (2 * ridge);
      gaps.push(slack + penalty - dual);
    }
    gap += Math.max(0, Math.min(...gaps));
  }
  return {
    B,
    loss: found,
    objective: found + penalties,
    residual: 2 * gradient.reduce((most, g) => Math.max(most, Math.abs(g)), 0),
    gap: ridge > 0 ? gap : Number.POSITIVE_INFINITY,
    curvature: Float32Array.from(curvature),
  };
}

function dotAt(A: Float64Array, at: number, b: Float64Array): number {
  let sum = 0;
  for (let h = 0; h < b.length; h++) sum += A[at + h] * b[h];
  return sum;
}

function squares(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value * value, 0);
}

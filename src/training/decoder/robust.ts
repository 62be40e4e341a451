import type { Engine } from '../../engine/engine.ts';
import type { Loss } from '../../losses/loss.ts';
import { type DriftSet, scaledDrifts } from '../../math/drift-sets.ts';
import { dot, type Matrix, matrix, row } from '../../math/matrix.ts';
import { robustWeights } from '../../math/robust.ts';
import { slack } from '../../math/slack.ts';
import { type DecoderProblem, measureDecoder } from './certificate.ts';
import type { LearnedDecoder } from './decoder.ts';
import { codeMatrix, scalingOf } from './standard-codes.ts';

/**
 * The decoder for codes whose correlations with each bit are known to lie in a convex set around B: for every
 * bit the minimum of (1/2) [ gamma(w, b_v) + sigma_U(w) ], in float64, one bit after the other. The codes may
 * belong to more rows than B was measured on, such as unlabelled rows beside labelled ones.
 *
 * The proof is a point of the dual: data u in [-1, 1] whose correlations lie in the set make every decoder
 * pay -(1/2n) sum_i Psi*(u_i). The best weights for a slightly smaller set hallucinate such data.
 */
export async function learnRobustDecoder(
  engine: Pick<Engine, 'turn'>,
  problem: DecoderProblem,
  settings: { readonly bias: boolean; readonly loss: Loss; readonly sets: readonly DriftSet[] },
): Promise<LearnedDecoder> {
  const { V, codes } = problem;
  const { loss, sets } = settings;
  const scaling = scalingOf(problem, settings.bias);
  const { width } = scaling;
  const nothing = new Float32Array(V * width);
  const B = (await measureDecoder(engine, problem, nothing, scaling, { loss, ridge: 0 })).B;
  const E = codeMatrix(codes, scaling);
  const W = new Float32Array(V * width);
  let [objective, gap] = [0, 0];
  for (let v = 0; v < V; v++) {
    await engine.turn();
    const b = B.subarray(v * width, (v + 1) * width);
    const inner = robustWeights(loss, E, matrix(1, width, b), [scaledDrifts(sets[v], INNER)]);
    const w = Float64Array.from(inner.data, Math.fround);
    W.set(w, v * width);
    const value = (slack(loss, E, w, b) + sets[v].support(w)) / 2;
    objective += value;
    gap += value - floorOf(loss, E, row(inner, 0), b, sets[v]);
  }
  const measured = await measureDecoder(engine, problem, W, scaling, { loss, ridge: 0 });
  return { ...measured, objective, gap: Math.max(0, gap), W };
}

/**
 * The factor by which the set is made smaller for learning, so that the hallucinated data lie in the set
 * itself despite rounding.
 */
const INNER = 1 - 1e-6;

/**
 * A lower bound for all weights, from the data that these weights hallucinate; -Infinity if their
 * correlations are not in the set.
 */
function floorOf(loss: Loss, E: Matrix, w: Float64Array, b: Float64Array, set: DriftSet): number {
  const d = b.map((value) => -value);
  let sum = 0;
  for (let i = 0; i < E.rows; i++) {
    const e = row(E, i);
    const u = loss.psiPrime(dot(w, e));
    sum += loss.conjugate(u);
    for (let h = 0; h < E.cols; h++) d[h] += (u * e[h]) / E.rows;
  }
  const inside = (set.gauge?.(d) ?? Number.POSITIVE_INFINITY) <= 1;
  return inside ? -sum / (2 * E.rows) : Number.NEGATIVE_INFINITY;
}

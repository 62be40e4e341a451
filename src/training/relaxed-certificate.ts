import { type Engine, FORBIDDEN } from '../engine/engine.ts';
import type { Loss } from '../losses/loss.ts';
import { meanGradient, type RelaxedProblem, relaxWeights } from './relaxed-weights.ts';

/**
 * What no weights can go below, for the codes as they are: the duality gap of W in the relaxed game (App. C.1), in
 * float64, summed over the bits with eps_v > 0.
 *
 * For any data u in [-1, 1] whose correlations with the codes are within eps_v of B, the objective of bit v, its mean
 * loss + (1/2) eps_v |w_v|_1, is at least -(1/2n) sum_i Psi*(u_i). The hallucinated data u = Psi'(W e) meet the
 * constraint at the optimum and nearly so near it; the rows x meet it always; x + t (u - x) lies between them and just
 * meets it. That costs a share 1 - t of the penalty, so the data are hallucinated by weights that are better still:
 * copies of W that take a few more steps.
 */
export async function relaxedGap(engine: Engine, problem: RelaxedProblem): Promise<number> {
  const { shape, W, prices } = problem;
  const width = W.length / shape.V;
  const better = engine.floats(W.length);
  better.write(W.read());
  const improved = { ...problem, W: better };
  await relaxWeights(engine, improved, CLOSE);
  const gradient = await meanGradient(engine, improved);
  const share = new Float64Array(shape.V);
  for (let v = 0; v < shape.V; v++) share[v] = feasibleShare(gradient, prices, v, width);
  const conjugate = conjugateTable(problem.loss);
  const { psi, psiPrime } = problem.loss;
  let gap = 0;
  await eachScore(engine, problem, (v, m, x, weight) => {
    if (share[v] >= 0) gap += 0.5 * weight * (psi(m) - x * m);
  });
  await eachScore(engine, improved, (v, m, x, weight) => {
    if (share[v] >= 0) gap += 0.5 * weight * conjugate(x + share[v] * (psiPrime(m) - x));
  });
  W.read().forEach((w, k) => {
    if (w !== 0 && share[Math.floor(k / width)] >= 0) gap += prices[k] * Math.abs(w);
  });
  better.free();
  return Math.max(0, gap);
}

/** Nats per row that one more round on the improved weights should gain. */
const CLOSE = 1e-4;

/** Calls `work` with the score, the entry and the weight in the mean of every known entry. */
async function eachScore(
  engine: Engine,
  problem: RelaxedProblem,
  work: (v: number, m: number, x: number, weight: number) => void,
): Promise<void> {
  const { data, shape, W, E, loss } = problem;
  const { V } = shape;
  const columnWeights = data.columnWeights?.read();
  for await (const { block, offset, entryAt, rowWeights } of data.blocks()) {
    const rows = rowWeights?.read();
    for (let start = 0; start < block.n; start += CHUNK) {
      const end = Math.min(block.n, start + CHUNK);
      const range = { start: offset + start, end: offset + end };
      const scores = await engine.decode(W, E, shape, range, 'scores', loss);
      for (let k = 0; k < scores.length; k++) {
        const v = k % V;
        const i = start + (k - v) / V;
        const x = entryAt(i, v);
        if (!Number.isNaN(x)) work(v, scores[k], x, ((rows?.[i] ?? 1) * (columnWeights?.[v] ?? 1)) / data.n);
      }
    }
  }
}

const CHUNK = 4096;

/** How far from x towards u the correlations stay within eps_v; negative for a bit with eps_v = 0. */
function feasibleShare(gradient: Float64Array, prices: Float32Array, v: number, width: number): number {
  let share = 1;
  for (let k = v * width; k < (v + 1) * width; k++) {
    if (prices[k] === FORBIDDEN) continue;
    if (!(prices[k] > 0)) return -1;
    // Gradients are summed in float32; the last digits are not trusted.
    share = Math.min(share, prices[k] / (Math.abs(gradient[k]) * (1 + 1e-5)));
  }
  return share;
}

/**
 * Psi* by chords between exact values, closest together near -1 and 1. A chord lies above a convex function, so the dual
 * value is at most lower than with Psi* itself: still a proof, and as fast for losses whose Psi* is itself a minimum.
 */
function conjugateTable(loss: Loss): (u: number) => number {
  const points = Float64Array.from({ length: CELLS + 1 }, (_, k) => Math.tanh(REACH * ((2 * k) / CELLS - 1)));
  points[0] = -1;
  points[CELLS] = 1;
  const values = points.map((u) => loss.conjugate(u));
  return (given) => {
    const u = Math.max(-1, Math.min(given, 1));
    const place = (Math.atanh(u) / REACH + 1) * (CELLS / 2);
    let k = Math.max(0, Math.min(CELLS - 1, Math.floor(place)));
    // Rounding of the place may be off by one cell.
    while (k > 0 && points[k] > u) k--;
    while (k < CELLS - 1 && points[k + 1] < u) k++;
    const part = (u - points[k]) / (points[k + 1] - points[k]);
    return values[k] + part * (values[k + 1] - values[k]);
  };
}

const CELLS = 8192;
/** tanh of it is 1 to twelve digits. */
const REACH = 14;

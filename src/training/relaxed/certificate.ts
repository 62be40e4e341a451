import { type Engine, FORBIDDEN, floatsOf } from '../../engine/engine.ts';
import type { Loss } from '../../losses/loss.ts';
import { type Hallucinated, hallucinate } from './hallucinate.ts';
import { eachScore } from './scores.ts';
import { type RelaxedProblem, relaxWeights } from './weights.ts';

/**
 * The duality gap of W in the relaxed game (App. C.1): no weights, for the codes as they are, have a mean
 * loss + sum prices |w| that is lower by more than this, all bits together.
 */
export async function relaxedGap(engine: Engine, problem: RelaxedProblem): Promise<number> {
  const { W, prices, loss } = problem;
  let objective = 0;
  await eachScore(engine, problem, ({ m, x, weight }) => {
    objective += 0.5 * weight * (loss.psi(m) - x * m);
  });
  (await W.read()).forEach((w, k) => {
    if (w !== 0) objective += prices[k] * Math.abs(w);
  });
  return Math.max(0, objective - (await relaxedFloor(engine, problem)));
}

/**
 * A lower bound for all weights at these codes: a value of the dual game, in float64.
 *
 * For any data u in [-1, 1] whose correlations with the codes are within eps_v of B (equal to B where eps is
 * 0), the objective of bit v, its mean loss + (1/2) eps_v |w_v|_1, is at least -(1/2n) sum_i Psi*(u_i). The
 * hallucinated data u = Psi'(W e) meet the constraint at the optimum and nearly so near it, and the free
 * weights are solved for until they meet the equalities; the rows x always meet everything; x + t (u - x)
 * lies between the two and just meets it. That costs a share 1 - t of the penalty, so the data are
 * hallucinated by better weights than W: a copy that takes a few more steps. If the equalities cannot be met,
 * the rows themselves (t = 0) prove what they can.
 */
export async function relaxedFloor(engine: Engine, problem: RelaxedProblem): Promise<number> {
  const { shape, W, prices, loss } = problem;
  const width = W.length / shape.V;
  const better = floatsOf(engine, await W.read());
  try {
    const improved = { ...problem, W: better };
    await relaxWeights(engine, improved, { tolerance: CLOSE });
    const bits = await hallucinate(engine, improved);
    const shares = bits.map((bit, v) => feasibleShare(bit, prices.subarray(v * width, (v + 1) * width)));
    const conjugate = conjugateTable(loss);
    let floor = 0;
    await eachScore(engine, improved, ({ v, m, x, weight, codes, at }) => {
      const { free, shift } = bits[v];
      let score = m;
      for (let k = 0; k < free.length; k++) score += shift[k] * codes[at + free[k]];
      floor -= 0.5 * weight * conjugate(x + shares[v] * (loss.psiPrime(score) - x));
    });
    return floor;
  } finally {
    better.free();
  }
}

/** Nats per row that one more round on the improved weights should gain. */
const CLOSE = 1e-4;

/** How far from x towards u the correlations stay within eps_v. */
function feasibleShare({ gradient, matched }: Hallucinated, prices: Float32Array): number {
  if (!matched) return 0;
  let share = 1;
  prices.forEach((price, h) => {
    // Weights that must not exist ask for nothing, and free ones were matched.
    if (price === FORBIDDEN || price === 0) return;
    share = Math.min(share, price / (Math.abs(gradient[h]) * (1 + 1e-12)));
  });
  return share;
}

/**
 * Psi* by chords between exact values, closest together near -1 and 1. A chord lies above a convex function,
 * so the dual value is at most lower than with Psi* itself: still a proof, and as fast for losses whose Psi*
 * is itself a minimum.
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

import type { Engine } from '../../engine/engine.ts';
import type { Loss } from '../../losses/loss.ts';
import { entry, type Rows, sliceRows } from '../../rows/rows.ts';
import { sum } from '../../rows/sum.ts';
import { type TrainingData, weightsOf } from '../data.ts';
import { type DecoderProblem, measureDecoder } from '../decoder/certificate.ts';
import type { LearnedDecoder } from '../decoder/decoder.ts';
import { fromStandard, scalingOf, standardised } from '../decoder/standard-codes.ts';
import { relaxedFloor } from './certificate.ts';
import { relaxWeights } from './weights.ts';

/**
 * The decoder for given codes whose correlations are trusted to within eps_v (App. C.1): for every bit the
 * minimum of (1/2) [ gamma(w, b_v) + eps_v |w|_1 ], the bias left free. Centring moves only the bias and
 * scaling a unit scales its price, so the problem is solved for codes of unit deviation all the same, and its
 * zeros are zeros.
 */
export async function learnRelaxedDecoder(
  engine: Engine,
  problem: DecoderProblem & { readonly rows: Rows },
  settings: {
    readonly bias: boolean;
    readonly loss: Loss;
    readonly eps: ArrayLike<number>;
    readonly tolerance: number;
  },
): Promise<LearnedDecoder> {
  const { V, H, codes, rows, rowWeights } = problem;
  const { bias, loss, eps, tolerance } = settings;
  const scaling = scalingOf(problem, bias);
  const { width, deviation } = scaling;
  const data = inOrder(engine, rows, rowWeights);
  const E = engine.floats(rows.n * width);
  const W = engine.floats(V * width);
  try {
    E.write(standardised(codes, scaling));
    const prices = new Float32Array(V * width);
    for (let v = 0; v < V; v++) {
      for (let h = 0; h < H; h++) prices[v * width + h] = eps[v] / 2 / deviation[h];
    }
    const relaxed = { data, shape: { V, H, bias }, W, E, loss, prices };
    await relaxWeights(engine, relaxed, { tolerance: 0.1 * tolerance, rounds: ROUNDS });
    const weights = Float32Array.from(fromStandard(await W.read(), scaling));
    const measured = await measureDecoder(engine, problem, weights, scaling, { loss, ridge: 0 });
    // What is proven is proven of the very weights that are returned.
    let objective = measured.loss;
    weights.forEach((w, k) => {
      if (k % width < H) objective += (eps[Math.floor(k / width)] / 2) * Math.abs(w);
    });
    const gap = Math.max(0, objective - (await relaxedFloor(engine, relaxed)));
    return { ...measured, objective, gap, W: weights };
  } finally {
    for (const floats of [E, W]) floats.free();
    data.close();
  }
}

/**
 * The codes stay as they are and the weights start from nothing: rounds are many where bits are nearly
 * certain.
 */
const ROUNDS = 60;

/** The rows as one block, in their own order. */
function inOrder(engine: Engine, rows: Rows, weights?: Float64Array): TrainingData {
  const block = engine.load(rows);
  const mean = weights ? sum(weights) / rows.n : 1;
  const rowWeights =
    weights &&
    weightsOf(
      engine,
      Float32Array.from(weights, (weight) => weight / mean),
    );
  return {
    n: rows.n,
    V: rows.V,
    blockRows: rows.n,
    sample: async (count) => sliceRows(rows, 0, Math.min(count, rows.n)),
    async *blocks() {
      yield { block, offset: 0, entryAt: (i, v) => entry(rows, i, v), rowWeights };
    },
    close() {
      block.free();
      rowWeights?.floats.free();
    },
  };
}

import { type Engine, floatsOf } from '../engine/engine.ts';
import { crossEntropy } from '../losses/cross-entropy.ts';
import { inverse } from '../math/linear.ts';
import { eachKnown } from '../rows/entries.ts';
import { hideEntries } from '../rows/hide.ts';
import { entry, type Rows } from '../rows/rows.ts';
import { solveColumn } from '../solvers/one-column.ts';

/**
 * A common way to fill gaps: one logistic regression per column on all other columns. Inputs are 0 and 1, or
 * the column's mean if they are missing; a fifth of them is hidden during learning. The penalty is that of
 * C = 0.1.
 */
export interface LogisticColumns {
  readonly V: number;
  readonly means: Float64Array;
  /** V x (V + 1), the constant last. */
  readonly W: Float32Array;
}

const HIDE = 0.2;
/** 1 / C. */
const PENALTY = 10;
/** The constant is a feature of this size, so that the penalty hardly touches its weight. */
const CONSTANT = 10;

export async function fitLogisticColumns(
  engine: Engine,
  rows: Rows,
  options: { readonly seed: number; readonly onProgress?: (fraction: number) => void },
): Promise<LogisticColumns> {
  const { n, V } = rows;
  const width = V + 1;
  const means = columnMeans(rows);
  const features = inputs(hideEntries(rows, HIDE, options.seed).shown, means);
  const A = floatsOf(engine, features);
  const hessian = (await engine.gram(A, n, width)).map((sum) => TYPICAL_CURVATURE * sum);
  A.free();
  for (let k = 0; k < width; k++) hessian[k * width + k] += PENALTY;
  const inverseHessian = inverse(hessian, width, 1e-6);
  const W = new Float32Array(V * width);
  for (let v = 0; v < V; v++) {
    const known = Uint32Array.from({ length: n }, (_, i) => i).filter(
      (i) => !Number.isNaN(entry(rows, i, v)),
    );
    const own = new Float32Array(known.length * width);
    known.forEach((i, k) => {
      own.set(features.subarray(i * width, (i + 1) * width), k * width);
      own[k * width + v] = 0;
    });
    const start = new Float32Array(width);
    start[V] = Math.log(means[v] / (1 - means[v])) / CONSTANT;
    const problem = { features: own, targets: Float32Array.from(known, (i) => entry(rows, i, v)) };
    const found = await solveColumn(engine, problem, crossEntropy, { start, ridge: PENALTY, inverseHessian });
    found[v] = 0;
    W.set(found, v * width);
    options.onProgress?.((v + 1) / V);
  }
  return { V, means, W };
}

/** Curvature of a column that is sure of most of its rows. */
const TYPICAL_CURVATURE = 0.1;

/** Guesses for all entries of rows, each from the known others: n x V in [-1, 1]. */
export async function guessLogistic(
  engine: Engine,
  { V, means, W: weights }: LogisticColumns,
  rows: Rows,
): Promise<Float32Array> {
  const shape = { V, H: V + 1, bias: false };
  const features = inputs(rows, means);
  const [W, E] = [weights, features].map((values) => floatsOf(engine, values));
  const range = { start: 0, end: rows.n };
  const guessed = await engine.decode({ shape, W, E, range, loss: crossEntropy }, 'transfer');
  for (const used of [W, E]) used.free();
  return guessed;
}

/** How often each column is 1, kept away from certainty by half a row. */
export function columnMeans(rows: Rows): Float64Array {
  const ones = new Float64Array(rows.V).fill(0.5);
  const known = new Float64Array(rows.V).fill(1);
  eachKnown(rows, (x, _, v) => {
    ones[v] += (1 + x) / 2;
    known[v]++;
  });
  return ones.map((sum, v) => sum / known[v]);
}

/** n x (V + 1): entries as 0 to 1, means for missing ones, and the constant. */
function inputs(rows: Rows, means: Float64Array): Float32Array {
  const { n, V } = rows;
  const out = new Float32Array(n * (V + 1)).fill(CONSTANT);
  for (let i = 0; i < n; i++) {
    for (let v = 0; v < V; v++) {
      const x = entry(rows, i, v);
      out[i * (V + 1) + v] = Number.isNaN(x) ? means[v] : (1 + x) / 2;
    }
  }
  return out;
}

import type { Engine } from '../../engine/engine.ts';
import type { Loss } from '../../losses/loss.ts';
import { inverse } from '../../math/linear.ts';
import { type ColumnFeatures, solveColumn } from '../../solvers/one-column.ts';
import type { Masked } from './masked.ts';

/** The features of column v in the rows where it was hidden, and what it was there. */
export interface ColumnProblem extends ColumnFeatures {
  /** The features are K neighbours, the own score and the constant, the last two scaled (`SCALE`). */
  readonly K: number;
}

/**
 * The own score and the constant are features of this size, so that the ridge, which draws the weights of neighbours to 0,
 * hardly touches theirs: a column without useful neighbours is to keep what its code says.
 */
const SCALE = 10;

export function columnProblem(
  { V, hidden, hiddenIn, scores, rows }: Masked,
  filled: Float32Array,
  v: number,
  neighbours: Int32Array,
  rowWeights?: ArrayLike<number>,
): ColumnProblem {
  const K = neighbours.length;
  const at = hiddenIn[v];
  const [n, width] = [at.length, K + 2];
  const features = new Float32Array(n * width);
  const targets = new Float32Array(n);
  for (let k = 0, to = 0; k < n; k++, to += width) {
    const from = at[k] * V;
    for (let j = 0; j < K; j++) features[to + j] = filled[from + neighbours[j]];
    features[to + K] = SCALE * scores[from + v];
    features[to + K + 1] = SCALE;
    targets[k] = hidden[from + v];
  }
  // Where there are too few others, v stands in their place and says nothing.
  for (let j = 0; j < K; j++)
    if (neighbours[j] === v) for (let k = 0; k < n; k++) features[k * width + j] = 0;
  const weights = rowWeights && Float32Array.from(at, (i) => rowWeights[rows[i]]);
  return { features, targets, weights, K };
}

/** The weights of Thm. 1 for these features: K neighbours, own score, constant. */
export async function columnWeights(
  engine: Engine,
  problem: ColumnProblem,
  loss: Loss,
  ridge: number,
): Promise<Float32Array> {
  const { K } = problem;
  const width = K + 2;
  const start = new Float32Array(width);
  start[K] = 1 / SCALE;
  const hessian = await hessianAt(engine, problem, loss);
  for (let k = 0; k < width; k++) hessian[k * width + k] += ridge;
  const options = { start, ridge, inverseHessian: inverse(hessian, width, 1e-6), tolerance: TOLERANCE };
  const W = await solveColumn(engine, problem, loss, options);
  W[K] *= SCALE;
  W[K + 1] *= SCALE;
  return W;
}

/** Nats, all rows together: the weights of so few rows are not known to half a nat each. */
const TOLERANCE = 1;

/** The Hessian of the problem at the own scores, where the search starts. */
async function hessianAt(
  engine: Engine,
  { features, targets, weights, K }: ColumnProblem,
  loss: Loss,
): Promise<Float64Array> {
  const bends = new Float32Array(targets.length);
  for (let i = 0; i < bends.length; i++) {
    const bend = loss.psiSecond(features[i * (K + 2) + K] / SCALE) / 2;
    bends[i] = (weights?.[i] ?? 1) * (bend + LEAST_BEND);
  }
  const [A, curvature] = [engine.floats(features.length), engine.floats(bends.length)];
  A.write(features);
  curvature.write(bends);
  const hessian = await engine.gram(A, bends.length, K + 2, curvature);
  for (const used of [A, curvature]) used.free();
  return hessian;
}

/** Rows that are sure at the start may not be so at the end. */
const LEAST_BEND = 1e-3;

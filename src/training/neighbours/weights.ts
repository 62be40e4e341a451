import { type Engine, floatsOf } from '../../engine/engine.ts';
import type { Loss } from '../../losses/loss.ts';
import { inverse } from '../../math/linear.ts';
import { transposed } from '../../rows/transposed.ts';
import { type ColumnFeatures, solveColumn } from '../../solvers/one-column.ts';
import type { Masked } from './masked.ts';

/** The features of column v in the rows where it was hidden, and its hidden entries. */
interface ColumnProblem extends ColumnFeatures {
  /** The features are K neighbours, the own score and the constant, the last two scaled (`SCALE`). */
  readonly K: number;
}

/**
 * The scale of the own score and the constant as features. It is large, so that the ridge, which pulls the
 * weights of neighbours towards 0, hardly affects these two: a column without useful neighbours should keep
 * the prediction of its code.
 */
const SCALE = 10;

/** Masked rows by columns, V x n, because a column is learned from few columns and a fifth of the rows. */
export interface MaskedColumns extends Pick<Masked, 'n' | 'V' | 'hiddenIn' | 'rows'> {
  /** Known entries, with reconstructions in place of unknown ones. */
  readonly filled: Float32Array;
  readonly scores: Float32Array;
  readonly hidden: Float32Array;
}

export function byColumns(masked: Masked, filled: Float32Array): MaskedColumns {
  const { n, V, hiddenIn, rows } = masked;
  const [scores, hidden] = [masked.scores, masked.hidden].map((values) => transposed(values, n, V));
  return { n, V, hiddenIn, rows, filled: transposed(filled, n, V), scores, hidden };
}

export function columnProblem(
  { n: all, hidden, hiddenIn, scores, filled, rows }: MaskedColumns,
  v: number,
  neighbours: Int32Array,
  rowWeights?: ArrayLike<number>,
): ColumnProblem {
  const K = neighbours.length;
  const at = hiddenIn[v];
  const n = at.length;
  const width = K + 2;
  const features = new Float32Array(n * width);
  const column = (values: Float32Array, u: number) => values.subarray(u * all, (u + 1) * all);
  const put = (values: Float32Array, j: number, scale: number) => {
    for (let k = 0, to = j; k < n; k++, to += width) features[to] = scale * values[at[k]];
  };
  // If there are too few neighbours, v itself takes their place, with entries of 0.
  neighbours.forEach((u, j) => {
    if (u !== v) put(column(filled, u), j, 1);
  });
  put(column(scores, v), K, SCALE);
  for (let k = 0; k < n; k++) features[k * width + K + 1] = SCALE;
  const own = column(hidden, v);
  const targets = Float32Array.from(at, (i) => own[i]);
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
  const inverseHessian = inverse(hessian, width, 1e-6);
  const W = await solveColumn(engine, problem, loss, { start, ridge, inverseHessian });
  W[K] *= SCALE;
  W[K + 1] *= SCALE;
  return W;
}

/** The Hessian at the column's own scores, where the search starts. */
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
  const [A, curvature] = [features, bends].map((values) => floatsOf(engine, values));
  const hessian = await engine.gram(A, bends.length, K + 2, curvature);
  for (const used of [A, curvature]) used.free();
  return hessian;
}

/** The least curvature of a row, because rows that are certain at the start may not be so at the end. */
const LEAST_BEND = 1e-3;

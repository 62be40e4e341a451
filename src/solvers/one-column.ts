import { type Engine, floatsOf } from '../engine/engine.ts';
import type { Loss } from '../losses/loss.ts';

/** One column to be told from features of its rows. */
export interface ColumnFeatures {
  /** n x width. */
  readonly features: Float32Array;
  /** What the column is in each row, in [-1, 1]. */
  readonly targets: Float32Array;
  /** The weight of each row. Default: all alike. */
  readonly weights?: Float32Array;
}

/**
 * The weights of Thm. 1 for one column and features of any kind. To the engine this is the problem of a
 * single code, with features in the place of W and the column in the place of a row: the same convex function
 * seen from its other side.
 *
 *     minimise over w   sum_i weight_i (1/2) [ -x_i m_i + Psi(m_i) ]  +  (ridge/2) |w|^2,        m_i = w . features_i
 */
export async function solveColumn(
  engine: Engine,
  { features, targets, weights }: ColumnFeatures,
  loss: Loss,
  options: {
    /** width weights to begin with. */
    readonly start: Float32Array;
    readonly ridge: number;
    /** width x width: about the inverse of the Hessian. */
    readonly inverseHessian: Float64Array;
  },
): Promise<Float32Array> {
  const { start, ridge } = options;
  const n = targets.length;
  const width = start.length;
  if (n === 0) return start;
  const block = engine.load({ kind: 'real', n: 1, V: n, values: targets });
  const [W, E, inverseHessian] = [features, start, options.inverseHessian].map((values) =>
    floatsOf(engine, values),
  );
  const columnWeights = weights && floatsOf(engine, weights);
  const at = { block, shape: { V: n, H: width, bias: false }, W, E, loss, columnWeights };
  await engine.solve('codes', at, { steps: STEPS, tolerance: TOLERANCE, inverseHessian, ridge });
  const found = await E.read();
  for (const used of [block, W, E, inverseHessian, columnWeights]) used?.free();
  return found;
}

/** Conjugate-gradient steps at most, and the nats that one has to gain, all rows together. */
const STEPS = 60;
const TOLERANCE = 0.1;

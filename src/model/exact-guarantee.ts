import { boxOfDrifts } from '../math/drift-sets.ts';
import { driftEllipsoid } from '../math/estimated-drift.ts';
import { worstOfBit } from '../math/exact-worst-case.ts';
import { type Matrix, row } from '../math/matrix.ts';
import { slack } from '../math/slack.ts';
import { Breath } from '../rows/breath.ts';
import { type RowsInput, readRows } from '../rows/input.ts';
import { sum } from '../rows/sum.ts';
import { codeMatrix } from '../training/decoder/standard-codes.ts';
import type { EncodeOptions } from './autoencoder.ts';
import type { PCAE } from './model.ts';
import { columnOf, confidenceOfBit } from './source-sets.ts';

export interface ExactGuaranteeOptions extends EncodeOptions {
  /**
   * How far each correlation may be from that of these rows, as a share of the root mean square of the unit's
   * codes. In this measure no correlation exceeds 1, and the scale of the codes does not matter. 'ellipsoid':
   * for each bit the ellipsoid that holds the correlations of the rows' source, for all bits at once, with
   * the given `confidence`. Default 0.
   */
  readonly drift?: number | 'ellipsoid';
  /**
   * The confidence of the ellipsoids, by the central limit theorem; the rows are taken as independent draws,
   * many for each unit. Default 0.99.
   */
  readonly confidence?: number;
}

export interface ExactGuarantee {
  readonly n: number;
  /** The largest mean loss on any data that have these codes and correlations within the drift. */
  readonly bound: number;
  /** The bound of App. C.1 for the same drift, which is exact for weights that are optimal under it. */
  readonly upper: number;
  /** The mean loss of these rows. */
  readonly loss: number;
  readonly drift: number | 'ellipsoid';
  /** The confidence of the ellipsoids. */
  readonly confidence?: number;
}

/**
 * The exact worst case at the codes of these rows. For each bit it is a linear program over all data in [-1,
 * 1]^n, solved by its dual in float64, which takes about 20 ms per bit for 1,000 rows and 32 units, and up to
 * 100 for an ellipsoid.
 */
export async function exactGuarantee(
  model: PCAE,
  rows: RowsInput,
  options: ExactGuaranteeOptions = {},
): Promise<ExactGuarantee> {
  const { drift = 0, confidence = 0.99, signal, onProgress } = options;
  if (drift !== 'ellipsoid' && !(drift >= 0))
    throw new RangeError(`exactGuarantee: drift must be 'ellipsoid' or at least 0, got ${drift}`);
  if (!(confidence > 0 && confidence < 1))
    throw new RangeError(`exactGuarantee: confidence must be between 0 and 1, got ${confidence}`);
  const checked = await readRows(rows, 'rows', model.schema, options.signal);
  const { codes, losses } = await model.encode(checked, { ...options, onProgress: undefined });
  const { V, reconstructionLoss: loss, columnWeights } = model;
  const E = codeMatrix(codes, model);
  const box = drift === 'ellipsoid' ? undefined : boxOfDrifts(sizes(E).map((size) => drift * size));
  const breath = new Breath();
  let [bound, upper] = [0, 0];
  for (let v = 0; v < V; v++) {
    const weight = columnWeights?.[v] ?? 1;
    const w = Float64Array.from(model.W.subarray(v * E.cols, (v + 1) * E.cols));
    const x = columnOf(checked, v, 'exactGuarantee');
    const b = correlationsOf(x, E);
    const set = box ?? driftEllipsoid(x, E, confidenceOfBit(confidence, V));
    bound += weight * worstOfBit(loss, E, b, w, set);
    upper += (weight * (slack(loss, E, w, b) + set.support(w))) / 2;
    onProgress?.((v + 1) / V);
    await breath.between(signal);
  }
  const total = sum(losses);
  return {
    n: checked.n,
    bound,
    upper,
    loss: total / checked.n,
    drift,
    ...(drift === 'ellipsoid' ? { confidence } : {}),
  };
}

/** The root mean square of each unit's codes. */
function sizes(E: Matrix): Float64Array {
  const squares = new Float64Array(E.cols);
  for (let i = 0; i < E.rows; i++) for (let h = 0; h < E.cols; h++) squares[h] += row(E, i)[h] ** 2;
  return squares.map((sum) => Math.sqrt(sum / E.rows));
}

/** The correlations of a bit with the codes. */
function correlationsOf(x: Float64Array, E: Matrix): Float64Array {
  const b = new Float64Array(E.cols);
  for (let i = 0; i < x.length; i++) {
    for (let h = 0; h < E.cols; h++) b[h] += (x[i] * row(E, i)[h]) / x.length;
  }
  return b;
}

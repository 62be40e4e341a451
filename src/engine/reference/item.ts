import type { Loss } from '../../losses/loss.ts';
import { entry, type Rows } from '../../rows/rows.ts';
import { type Point, type Side, widthOf } from '../engine.ts';

/** One row or one bit with its convex problem (see the contract), unpacked into float64. */
export interface Item {
  readonly loss: Loss;
  /** The other factor: `count` vectors of `width` numbers. */
  readonly A: ArrayLike<number>;
  readonly count: number;
  readonly width: number;
  /** The leading coordinates of z that may move. */
  readonly free: number;
  /** The leading coordinates of z that ridge counts. */
  readonly penalised: number;
  readonly x: Float64Array;
  /** 0 where the entry is missing. */
  readonly weights: Float64Array;
  readonly z: Float64Array;
}

/** What the reference engine keeps behind the contract's handles. */
export interface Stored {
  readonly rows: Rows;
  readonly W: Float32Array;
  readonly E: Float32Array;
  readonly columnWeights?: Float32Array;
  readonly rowWeights?: Float32Array;
}

/** The problem of row i (side 'codes') or of bit i (side 'weights'). */
export function itemAt(side: Side, at: Point, stored: Stored, i: number): Item {
  const { rows } = stored;
  const { V, H } = at.shape;
  const width = widthOf(at.shape);
  const offset = at.offset ?? 0;
  const codes = side === 'codes';
  const count = codes ? V : rows.n;
  const x = new Float64Array(count);
  const weights = new Float64Array(count);
  for (let k = 0; k < count; k++) {
    const value = codes ? entry(rows, i, k) : entry(rows, k, i);
    if (Number.isNaN(value)) continue;
    x[k] = value;
    weights[k] = stored.columnWeights?.[codes ? k : i] ?? 1;
    if (!codes) weights[k] *= (stored.rowWeights?.[k] ?? 1) / rows.n;
  }
  const E = stored.E.subarray(offset * width, (offset + rows.n) * width);
  const z = Float64Array.from((codes ? E : stored.W).subarray(i * width, (i + 1) * width));
  const free = codes ? H : width;
  return { loss: at.loss, A: codes ? stored.W : E, count, width, free, penalised: H, x, weights, z };
}

/** A z: the scores m_k = a_k . z. */
export function scores(item: Item, z: Float64Array): Float64Array {
  const m = new Float64Array(item.count);
  for (let k = 0; k < item.count; k++) {
    for (let h = 0; h < item.width; h++) m[k] += item.A[k * item.width + h] * z[h];
  }
  return m;
}

/** sum_k weight_k (1/2) [ -x_k m_k + Psi(m_k) ]: the item's loss, ridge left out. */
export function lossAt(item: Item, m: Float64Array): number {
  let sum = 0;
  for (let k = 0; k < item.count; k++) {
    if (item.weights[k] !== 0) sum += item.weights[k] * (item.loss.psi(m[k]) - item.x[k] * m[k]);
  }
  return sum / 2;
}

/** (1/2) weight_k (Psi'(m_k) - x_k): half the residuals R of App. A. */
export function halfResiduals(item: Item, m: Float64Array): Float64Array {
  return m.map((value, k) => 0.5 * item.weights[k] * (item.loss.psiPrime(value) - item.x[k]));
}

/** A^T r on the free coordinates. */
export function back(item: Item, r: Float64Array): Float64Array {
  const g = new Float64Array(item.free);
  for (let k = 0; k < item.count; k++) {
    for (let h = 0; h < item.free; h++) g[h] += item.A[k * item.width + h] * r[k];
  }
  return g;
}

/** The gradient of loss + ridge on the free coordinates, given the scores at z. */
export function gradientAt(item: Item, m: Float64Array, z: Float64Array, ridge: number): Float64Array {
  const g = back(item, halfResiduals(item, m));
  for (let h = 0; h < Math.min(item.free, item.penalised); h++) g[h] += ridge * z[h];
  return g;
}

/** A^T diag(c) A on the free coordinates. */
export function hessianAt(item: Item, c: Float64Array): Float64Array {
  const { free, width, A } = item;
  const S = new Float64Array(free * free);
  for (let k = 0; k < item.count; k++) {
    if (c[k] === 0) continue;
    for (let i = 0; i < free; i++) {
      const scaled = c[k] * A[k * width + i];
      for (let j = 0; j <= i; j++) S[i * free + j] += scaled * A[k * width + j];
    }
  }
  for (let i = 0; i < free; i++) for (let j = 0; j < i; j++) S[j * free + i] = S[i * free + j];
  return S;
}

/** (ridge/2) |z|^2 over the penalised coordinates. */
export function penalty(item: Item, z: Float64Array, ridge: number): number {
  let sum = 0;
  for (let h = 0; h < item.penalised; h++) sum += z[h] * z[h];
  return 0.5 * ridge * sum;
}

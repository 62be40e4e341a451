import { counted } from '../rows/counted.ts';

/** n vectors of V numbers, one after the other. */
export interface Vectors {
  readonly n: number;
  readonly V: number;
  readonly values: Float32Array | Float64Array;
}

/** What makes two vectors neighbours: a small angle, a large inner product, or a small distance. */
export type Metric = 'cosine' | 'inner' | 'euclidean';

export const METRICS: readonly Metric[] = ['cosine', 'inner', 'euclidean'];

/** Vectors as an array of arrays, or as one of the flat arrays that most libraries give. */
export type VectorsInput = Vectors | readonly ArrayLike<number>[];

/** Numbers as vectors; a NaN is a missing entry, which only queries may have. */
export function asVectors(input: VectorsInput, argument: string, missing: boolean): Vectors {
  const vectors = Array.isArray(input) ? joined(input) : (input as Vectors);
  const { n, V, values } = vectors;
  if (!ArrayBuffer.isView(values)) {
    throw new TypeError(`${argument}: expected arrays of numbers, or { n, V, values } with one flat array`);
  }
  if (values.length !== n * V) {
    throw new RangeError(`${argument}: found ${counted(values.length, 'number')}, expected ${n} x ${V}`);
  }
  for (let i = 0; i < values.length; i++) {
    if (Number.isFinite(values[i]) || (missing && Number.isNaN(values[i]))) continue;
    const rule = missing ? 'a number, or NaN where it is not known' : 'a number';
    throw new RangeError(
      `${argument}: vector ${Math.floor(i / V)}, entry ${i % V} is ${values[i]}, expected ${rule}`,
    );
  }
  return vectors;
}

/**
 * Vectors as they are compared: of length 1 for cosines, less the `centre`. Missing entries become 0 and so
 * add nothing to any product.
 */
export function prepared({ n, V, values }: Vectors, metric: Metric, centre?: Float32Array): Float32Array {
  const out = new Float32Array(n * V);
  for (let i = 0; i < n; i++) {
    let squares = 0;
    for (let k = i * V; k < (i + 1) * V; k++) if (!Number.isNaN(values[k])) squares += values[k] ** 2;
    const scale = metric === 'cosine' && squares > 0 ? 1 / Math.sqrt(squares) : 1;
    for (let v = 0; v < V; v++) {
      const value = values[i * V + v];
      out[i * V + v] = Number.isNaN(value) ? 0 : value * scale - (centre ? centre[v] : 0);
    }
  }
  return out;
}

/**
 * How far two vectors are: minus their cosine or inner product, or their squared distance. Missing entries
 * are passed over.
 */
export function costBetween(a: ArrayLike<number>, b: ArrayLike<number>, metric: Metric): number {
  let [product, left, right] = [0, 0, 0];
  for (let v = 0; v < a.length; v++) {
    if (Number.isNaN(a[v]) || Number.isNaN(b[v])) continue;
    product += a[v] * b[v];
    left += a[v] * a[v];
    right += b[v] * b[v];
  }
  if (metric === 'inner') return -product;
  if (metric === 'euclidean') return Math.max(0, left + right - 2 * product);
  return left > 0 && right > 0 ? -product / Math.sqrt(left * right) : 0;
}

function joined(rows: readonly ArrayLike<number>[]): Vectors {
  const n = rows.length;
  const V = n === 0 ? 0 : rows[0].length;
  const values = new Float32Array(n * V);
  rows.forEach((row, i) => {
    if (row.length !== V) {
      throw new RangeError(`vectors: vector ${i} has ${counted(row.length, 'number')}, the first one ${V}`);
    }
    values.set(row, i * V);
  });
  return { n, V, values };
}

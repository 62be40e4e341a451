import { symmetricEigen } from '../../math/eigen.ts';

/** Coordinates in which some codes have second moments exactly 1; scores do not change under them. */
export interface Axes {
  /** How many there are: no more than numbers in a code, fewer where codes depend on one another. */
  readonly count: number;
  /** Codes, or rows of `width` numbers, in these coordinates: rows of `count` numbers. */
  codes(codes: Float32Array): Float32Array;
  /** Weights for codes in these coordinates. */
  weights(W: Float32Array): Float32Array;
  /** The way back; what no axis sees is as it is in `like`. */
  back(weights: Float32Array, like: Float32Array): Float32Array;
}

/** The principal axes of the codes (n x width) about 0, each scaled to length 1. */
export function axesOf(codes: Float32Array, width: number): Axes {
  const n = codes.length / width;
  const second = new Float64Array(width * width);
  for (let at = 0; at < codes.length; at += width) {
    for (let h = 0; h < width; h++) {
      for (let k = 0; k < width; k++) second[h * width + k] += (codes[at + h] * codes[at + k]) / n;
    }
  }
  const { values, vectors } = symmetricEigen(second, width);
  const count = values.filter((value) => value > NOTHING * values[0]).length;
  const size = Array.from(values.subarray(0, count), Math.sqrt);
  /** Each axis times its size to a power, count x width. */
  const scaled = (power: 1 | -1) =>
    Float64Array.from({ length: count * width }, (_, k) => vectors[k] * size[Math.floor(k / width)] ** power);
  const [longer, shorter] = [scaled(1), scaled(-1)];
  return {
    count,
    codes: (some) => product(some, shorter, width),
    weights: (W) => product(W, longer, width),
    back(weights, like) {
      const change = product(like, longer, width);
      for (let k = 0; k < change.length; k++) change[k] = weights[k] - change[k];
      const across = Float64Array.from({ length: count * width }, (_, k) => {
        return shorter[(k % count) * width + Math.floor(k / count)];
      });
      const moved = product(change, across, count);
      return like.map((value, k) => value + moved[k]);
    },
  };
}

/** Rows of `width` numbers times each row of a matrix of as many: rows of products. */
function product(rows: Float32Array, matrix: Float64Array, width: number): Float32Array {
  const [n, count] = [rows.length / width, matrix.length / width];
  const out = new Float32Array(n * count);
  for (let i = 0; i < n; i++) {
    for (let a = 0; a < count; a++) {
      let sum = 0;
      for (let h = 0; h < width; h++) sum += matrix[a * width + h] * rows[i * width + h];
      out[i * count + a] = sum;
    }
  }
  return out;
}

/** Axes along which codes have less than this share of the largest second moment are rounding. */
const NOTHING = 1e-9;

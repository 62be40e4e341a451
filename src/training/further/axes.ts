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
  /** Rows of `width` numbers along each axis, times its size to a power. */
  const turned = (rows: Float32Array, power: 1 | -1) => {
    const out = new Float32Array((rows.length / width) * count);
    for (let i = 0; i * width < rows.length; i++) {
      for (let a = 0; a < count; a++) {
        let sum = 0;
        for (let h = 0; h < width; h++) sum += vectors[a * width + h] * rows[i * width + h];
        out[i * count + a] = sum * size[a] ** power;
      }
    }
    return out;
  };
  return {
    count,
    codes: (some) => turned(some, -1),
    weights: (W) => turned(W, 1),
    back(weights, like) {
      const before = turned(like, 1);
      const out = like.slice();
      for (let k = 0; k < out.length; k++) {
        const [i, h] = [Math.floor(k / width), k % width];
        let change = 0;
        for (let a = 0; a < count; a++) {
          const at = i * count + a;
          change += (vectors[a * width + h] * (weights[at] - before[at])) / size[a];
        }
        out[k] += change;
      }
      return out;
    },
  };
}

/** Axes along which codes have less than this share of the largest second moment are rounding. */
const NOTHING = 1e-9;

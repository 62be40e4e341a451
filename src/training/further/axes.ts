import { symmetricEigen } from '../../math/eigen.ts';
import { timesRows } from '../../math/linear.ts';

/** Coordinates in which codes and weights have the same second moments; scores do not change under them. */
export interface Axes {
  /** How many there are: no more than numbers in a code, fewer where codes depend on one another. */
  readonly count: number;
  /** The mean square of the codes along each; across two of them nothing is correlated. */
  readonly squares: Float64Array;
  /** Codes, or rows of `width` numbers, in these coordinates: rows of `count` numbers. */
  codes(codes: Float32Array): Float32Array;
  /** Weights for codes in these coordinates. */
  weights(W: Float32Array): Float32Array;
  /** The way back; what no axis sees is as it is in `like`. */
  back(weights: Float32Array, like: Float32Array): Float32Array;
}

/**
 * The axes on which E E^T / n = W^T W, both diagonal, for codes of n x width. Learning has a ridge on weights
 * and codes alike, so its weights are optimal in these coordinates (`balanceUnits`), and the same ridge
 * belongs to them. In coordinates of unit codes it would count |W^T W| times as much: twenty to eighty times
 * on tables of some dozen columns.
 */
export function axesOf(codes: Float32Array, W: Float32Array, width: number): Axes {
  const unit = symmetricEigen(secondMoments(codes, width, codes.length / width), width);
  const seen = unit.values.filter((value) => value > NOTHING * unit.values[0]).length;
  const size = Array.from(unit.values.subarray(0, seen), Math.sqrt);
  const scaled = (power: 1 | -1) =>
    Float64Array.from(
      { length: seen * width },
      (_, k) => unit.vectors[k] * size[Math.floor(k / width)] ** power,
    );
  const long = scaled(1);
  const short = scaled(-1);
  // Where codes have second moments 1, W^T W has the squares of those that both have on balanced axes.
  const turned = symmetricEigen(secondMoments(timesRows(W, long, width), seen, 1), seen);
  const least = NOTHING * Math.max(turned.values[0], Number.MIN_VALUE);
  const squares = turned.values.map((value) => Math.sqrt(Math.max(value, least)));
  const along = (matrix: Float64Array, power: number) =>
    Float64Array.from({ length: seen * width }, (_, k) => {
      const axis = Math.floor(k / width);
      const h = k % width;
      let sum = 0;
      for (let b = 0; b < seen; b++) sum += turned.vectors[axis * seen + b] * matrix[b * width + h];
      return sum * squares[axis] ** power;
    });
  const longer = along(long, -0.5);
  const shorter = along(short, 0.5);
  return {
    count: seen,
    squares,
    codes: (some) => timesRows(some, shorter, width),
    weights: (some) => timesRows(some, longer, width),
    back(weights, like) {
      const change = timesRows(like, longer, width);
      for (let k = 0; k < change.length; k++) change[k] = weights[k] - change[k];
      const across = Float64Array.from({ length: seen * width }, (_, k) => {
        return shorter[(k % seen) * width + Math.floor(k / seen)];
      });
      const moved = timesRows(change, across, seen);
      return like.map((value, k) => value + moved[k]);
    },
  };
}

/** Sums over rows of `width` numbers of their products, divided by n. */
function secondMoments(rows: Float32Array, width: number, n: number): Float64Array {
  const second = new Float64Array(width * width);
  for (let at = 0; at < rows.length; at += width) {
    for (let h = 0; h < width; h++) {
      for (let k = 0; k < width; k++) second[h * width + k] += (rows[at + h] * rows[at + k]) / n;
    }
  }
  return second;
}

/** Axes along which codes have less than this share of the largest second moment are rounding. */
const NOTHING = 1e-9;

import type { SetName } from '../encodings/encoding.ts';
import { type Shape, widthOf } from '../engine/engine.ts';

/**
 * The size of a set while codes are learned in it. Any size is the same model in other coordinates; these leave room
 * for codes of about unit variance, which learning is tuned for. At the end the set is scaled to size 1.
 */
export function learningRadius(set: SetName, H: number): number {
  if (set === 'simplex') return MEAN_SHARE * H;
  return set === 'ball' ? SPREAD * Math.sqrt(H) : Number.POSITIVE_INFINITY;
}

/** The mean share, in deviations of the real code that it starts from. Roomier sets lose less and are filled less. */
const MEAN_SHARE = 4;
/** The ball's radius, in lengths of a code of unit variance. */
const SPREAD = 6;
/** How far codes are moved up into the orthant. */
const LIFT = 1;

/**
 * Weights to start from in a set, from weights W (V x width) whose codes have mean 0 and unit variance. The set is
 * laid around those codes by an affine map e' = M e + c, which the weights and the bias undo, so that learning starts
 * from the same scores:
 *
 * - ball: as they are;
 * - nonnegative: moved up by c; without a bias unit there is nothing to undo that with, and every second unit is
 *   turned into the opposite of the one before, which says what a negative code did;
 * - simplex: H - 1 directions turned into the plane where codes add up to the same.
 */
export function startInSet(set: SetName, W: Float32Array, shape: Shape): Float32Array {
  const { V, H, bias } = shape;
  const width = widthOf(shape);
  if (set === 'ball') return W;
  const out = W.slice();
  if (set === 'nonnegative') {
    for (let v = 0; v < V; v++) {
      for (let h = 0; h < H; h++) {
        if (bias) out[v * width + H] -= LIFT * W[v * width + h];
        else out[v * width + h] = (h % 2 === 0 ? 1 : -1) * W[v * width + (h >> 1)];
      }
    }
    return out;
  }
  const plane = contrasts(H);
  for (let v = 0; v < V; v++) {
    for (let h = 0; h < H; h++) {
      let sum = 0;
      for (let k = 0; k < H - 1; k++) sum += W[v * width + k] * plane[h * (H - 1) + k];
      out[v * width + h] = sum;
    }
  }
  return out;
}

/** H x (H - 1), orthonormal columns that add up to 0 (Helmert's): the directions of the simplex. */
function contrasts(H: number): Float64Array {
  const out = new Float64Array(H * Math.max(0, H - 1));
  for (let k = 1; k < H; k++) {
    const length = Math.sqrt(k * (k + 1));
    for (let h = 0; h < k; h++) out[h * (H - 1) + k - 1] = 1 / length;
    out[k * (H - 1) + k - 1] = -k / length;
  }
  return out;
}

import { type Engine, floatsOf, widthOf } from '../engine/engine.ts';
import { crossEntropy } from '../losses/cross-entropy.ts';
import { symmetricEigen } from '../math/eigen.ts';
import { factor, invertLower } from '../math/linear.ts';
import { withBias } from '../solvers/codes.ts';
import { spreadOf } from '../solvers/spread.ts';
import type { Factors } from './scale.ts';

/** Turns units to principal axes: codes of unit variance without correlation, units in order of strength. */
export async function turnUnits(engine: Engine, n: number, factors: Factors): Promise<void> {
  await applyTurn(engine, n, factors, await principalAxes(engine, n, factors));
}

/**
 * e' = R (e - mean), W' = W R^-1: makes the codes' covariance the identity and W'^T W' diagonal and falling.
 */
interface Turn {
  readonly R: Float64Array;
  readonly inverse: Float64Array;
  readonly mean: Float64Array;
}

async function principalAxes(engine: Engine, n: number, { shape, W, E }: Factors): Promise<Turn> {
  const { V, H } = shape;
  const width = widthOf(shape);
  const moments = (await engine.gram(E, n, width)).map((sum) => sum / n);
  const { mean, covariance } = spreadOf(moments, shape);
  const L = factor(covariance, H, 1e-9);
  const wholeGram = await engine.gram(W, V, width);
  const gram = Float64Array.from({ length: H * H }, (_, i) => wholeGram[Math.floor(i / H) * width + (i % H)]);
  // W L belongs to whitened codes; its own principal axes U complete the turn.
  const { vectors } = symmetricEigen(product(product(transpose(L, H), gram, H), L, H), H);
  const R = product(vectors, invertLower(L, H), H);
  return { R, inverse: product(L, transpose(vectors, H), H), mean };
}

async function applyTurn(engine: Engine, n: number, factors: Factors, turn: Turn): Promise<void> {
  const { V, H } = factors.shape;
  const width = widthOf(factors.shape);
  const W = await factors.W.read();
  const turned = W.slice();
  const sums = new Float64Array(H);
  for (let v = 0; v < V; v++) {
    for (let h = 0; h < H; h++) {
      let sum = 0;
      for (let k = 0; k < H; k++) sum += W[v * width + k] * turn.inverse[k * H + h];
      turned[v * width + h] = sum;
      sums[h] += sum;
    }
    if (width > H) for (let k = 0; k < H; k++) turned[v * width + H] += W[v * width + k] * turn.mean[k];
  }
  // The sign of a unit is free. Choose it so that the bits it switches on outweigh those it switches off.
  const sign = sums.map((sum) => (sum < 0 ? -1 : 1));
  for (let i = 0; i < turned.length; i++) if (i % width < H) turned[i] *= sign[i % width];
  factors.W.write(turned);
  await turnCodes(engine, n, factors, turn, sign);
}

/** R (e - mean) are scores too, of a decoder with the rows of R and a bias: the engine makes them. */
async function turnCodes(
  engine: Engine,
  n: number,
  { shape: { H, bias }, E }: Factors,
  { R, mean }: Turn,
  sign: Float64Array,
): Promise<void> {
  const width = widthOf({ H, bias });
  const rows = new Float32Array(H * width);
  for (let h = 0; h < H; h++) {
    for (let k = 0; k < H; k++) {
      rows[h * width + k] = sign[h] * R[h * H + k];
      if (bias) rows[h * width + H] -= sign[h] * R[h * H + k] * mean[k];
    }
  }
  const W = floatsOf(engine, rows);
  try {
    for (let start = 0; start < n; start += engine.rowsAtOnce) {
      const range = { start, end: Math.min(n, start + engine.rowsAtOnce) };
      const turned = await engine.decode(
        { shape: { V: H, H, bias }, W, E, range, loss: crossEntropy },
        'scores',
      );
      E.write(withBias(turned, H, width), start * width);
    }
  } finally {
    W.free();
  }
}

function product(A: Float64Array, C: Float64Array, size: number): Float64Array {
  const out = new Float64Array(size * size);
  for (let i = 0; i < size; i++) {
    for (let k = 0; k < size; k++) {
      for (let j = 0; j < size; j++) out[i * size + j] += A[i * size + k] * C[k * size + j];
    }
  }
  return out;
}

function transpose(A: Float64Array, size: number): Float64Array {
  return Float64Array.from({ length: size * size }, (_, i) => A[(i % size) * size + Math.floor(i / size)]);
}

import type { Block, Engine, Floats } from '../../engine/engine.ts';
import { projected } from '../../engine/products.ts';
import { symmetricEigen } from '../../math/eigen.ts';
import { gaussians } from '../../solvers/gaussians.ts';
import { leadingDirections } from '../start/start.ts';

/**
 * Where codes of bits start: H half-spaces of the rows, e = sign(P^T x - threshold). The projections Y of the
 * rows on their leading principal components, three for each bit and with the strong ones damped, are rotated
 * until they lie close to corners of the cube, alternately by B = sign(Y R) and by the rotation R that brings
 * Y closest to B.
 */
interface HalfSpaces {
  /** V x H. */
  readonly P: Float32Array;
  readonly thresholds: Float64Array;
}

/** The leading principal components of rows, scaled, in which half-spaces are rotated. */
export interface Components {
  /** Means of the columns. */
  readonly mean: Float64Array;
  /** V x d, columns scaled. */
  readonly axes: Float64Array;
  /** Projections of the mean. */
  readonly middle: Float64Array;
  /** Projections of the rows minus those of the mean: n x d. */
  readonly Y: Block;
}

export async function principalComponents(
  engine: Engine,
  block: Block,
  H: number,
  seed: number,
): Promise<Components> {
  const { n, V } = block;
  const wanted = Math.min(COMPONENTS * H, V, n);
  const { mean, directions, deviations } = await leadingDirections(engine, block, wanted, seed, true);
  const d = deviations.length;
  const axes = directions.map((value, i) => value * Math.max(1e-3, deviations[i % d]) ** -DAMPING);
  const middle = new Float64Array(d);
  for (let v = 0; v < V; v++) for (let k = 0; k < d; k++) middle[k] += mean[v] * axes[v * d + k];
  const values = await projected(engine, block, axes, d);
  for (let i = 0; i < values.length; i++) values[i] -= middle[i % d];
  return { mean, axes, middle, Y: engine.load({ kind: 'real', n, V: d, values }) };
}

export async function halfSpaces(
  engine: Engine,
  { mean, axes, middle, Y }: Components,
  H: number,
  seed: number,
): Promise<HalfSpaces> {
  const V = mean.length;
  const d = Y.V;
  const R = await rotation(engine, Y, H, seed);
  const P = new Float32Array(V * H);
  for (let v = 0; v < V; v++) {
    for (let k = 0; k < d; k++) for (let h = 0; h < H; h++) P[v * H + h] += axes[v * d + k] * R[k * H + h];
  }
  const thresholds = new Float64Array(H);
  for (let k = 0; k < d; k++) for (let h = 0; h < H; h++) thresholds[h] += middle[k] * R[k * H + h];
  return { P, thresholds };
}

/** Writes the codes of a block's rows to E: n x (H + 1), with the bias unit's 1. */
export async function codesFromHalfSpaces(
  engine: Engine,
  block: Block,
  { P, thresholds }: HalfSpaces,
  E: Floats,
): Promise<void> {
  const H = thresholds.length;
  const projections = await projected(engine, block, P, H);
  const codes = new Float32Array(block.n * (H + 1)).fill(1);
  for (let i = 0; i < block.n; i++) {
    for (let h = 0; h < H; h++) if (projections[i * H + h] < thresholds[h]) codes[i * (H + 1) + h] = -1;
  }
  E.write(codes);
}

/** Principal components for each bit of a code. */
const COMPONENTS = 3;
/** Components are divided by this power of their deviation, or the strongest few would decide every bit. */
const DAMPING = 0.3;
const ROUNDS = 40;

/** R (d x H) with orthonormal columns that brings Y R close to its own signs. */
async function rotation(engine: Engine, Y: Block, H: number, seed: number): Promise<Float64Array> {
  const d = Y.V;
  const [matrix, signs, products] = [d * H, Y.n * H, d * H].map((length) => engine.floats(length));
  let R = nearestRotation(gaussians(d * H, seed + 5), d, H);
  for (let round = 0; round < ROUNDS; round++) {
    matrix.write(R);
    await engine.project(Y, matrix, H, signs);
    const values = await signs.read();
    // No branch, which a processor would guess wrong half of the time.
    for (let i = 0; i < values.length; i++) values[i] = 2 * Number(values[i] >= 0) - 1;
    signs.write(values);
    await engine.correlate(Y, signs, H, products);
    R = nearestRotation(await products.read(), d, H);
  }
  for (const floats of [matrix, signs, products]) floats.free();
  return R;
}

/** C (C^T C)^(-1/2): the matrix with orthonormal columns nearest to C (d x H). */
function nearestRotation(from: ArrayLike<number>, d: number, H: number): Float64Array {
  const C = Float64Array.from(from);
  const gram = new Float64Array(H * H);
  for (let k = 0; k < d; k++) {
    for (let i = 0; i < H; i++) {
      const c = C[k * H + i];
      for (let j = 0; j <= i; j++) gram[i * H + j] += c * C[k * H + j];
    }
  }
  for (let i = 0; i < H; i++) for (let j = 0; j < i; j++) gram[j * H + i] = gram[i * H + j];
  const root = inverseRoot(gram, H);
  const R = new Float64Array(d * H);
  for (let k = 0; k < d; k++) {
    for (let i = 0; i < H; i++) {
      const c = C[k * H + i];
      for (let j = 0; j < H; j++) R[k * H + j] += c * root[i * H + j];
    }
  }
  return R;
}

/** S^(-1/2) of a symmetric matrix. */
function inverseRoot(S: Float64Array, H: number): Float64Array {
  const { values, vectors } = symmetricEigen(S, H);
  const root = new Float64Array(H * H);
  for (let e = 0; e < H; e++) {
    // If H exceeds the number of components, some values vanish, and those units start without a direction.
    const scale = values[e] > 1e-9 * values[0] ? 1 / Math.sqrt(values[e]) : 0;
    for (let i = 0; i < H; i++) {
      const share = scale * vectors[e * H + i];
      for (let j = 0; j < H; j++) root[i * H + j] += share * vectors[e * H + j];
    }
  }
  return root;
}

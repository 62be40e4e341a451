import { type Block, type Engine, type Floats, type Shape, widthOf } from '../../engine/engine.ts';
import { correlated } from '../../engine/products.ts';
import { symmetricEigen } from '../../math/eigen.ts';
import { orthonormalise } from '../../math/linear.ts';
import { gaussians } from '../../solvers/gaussians.ts';

/**
 * Where learning starts: W (V x width) from the leading right singular vectors of the data, found by a
 * randomised range finder with power iterations. With a bias unit the data are centred and the bias holds the
 * base rates.
 *
 * With codes of unit variance, W / 2 reproduces the rows' best linear approximation. W is twice that, so that
 * scores reach into the bend of the logistic function, where learning is fast.
 */
export async function startFromData(
  engine: Engine,
  block: Block,
  shape: Shape,
  seed: number,
): Promise<Float32Array> {
  const found = await leadingDirections(engine, block, shape.H, seed, shape.bias);
  return weightsAlong(found, shape, seed, (v) => ({
    scale: 2,
    bias: baseRateScore(found.mean[v], block.n),
  }));
}

/**
 * W (V x width) along directions: for each column the scale of its weights, and its bias. Units for which the
 * data had no direction (H larger than V) get small random weights.
 */
export function weightsAlong(
  { directions, deviations }: Directions,
  shape: Shape,
  seed: number,
  columnOf: (v: number) => { readonly scale: number; readonly bias: number },
): Float32Array {
  const { V, H } = shape;
  const width = widthOf(shape);
  const found = deviations.length;
  const noise = found < H ? gaussians(V * H, seed + 1) : [];
  const W = new Float32Array(V * width);
  for (let v = 0; v < V; v++) {
    const { scale, bias } = columnOf(v);
    for (let h = 0; h < found; h++) W[v * width + h] = scale * deviations[h] * directions[v * found + h];
    for (let h = found; h < H; h++) W[v * width + h] = 0.01 * noise[v * H + h];
    if (shape.bias) W[v * width + H] = bias;
  }
  return W;
}

/** Principal axes of the rows: at most H, fewer where V is smaller. */
interface Directions {
  /** The columns' means, zero when the rows are not centred. */
  readonly mean: Float64Array;
  /** V x count, orthonormal columns. */
  readonly directions: Float64Array;
  /** Root mean square of the rows' projections on each, falling. */
  readonly deviations: Float64Array;
}

/** The leading right singular vectors of the rows, centred or not, by the randomised range finder. */
export async function leadingDirections(
  engine: Engine,
  block: Block,
  H: number,
  seed: number,
  centred: boolean,
): Promise<Directions> {
  const { n, V } = block;
  const rank = startRank(V, H);
  const mean = centred ? await columnMeans(engine, block) : new Float64Array(V);
  const Q = engine.floats(V * rank);
  const Y = engine.floats(n * rank);
  const basis = gaussians(V * rank, seed);
  orthonormalise(basis, V, rank);
  for (let round = 0; ; round++) {
    Q.write(basis);
    await engine.project(block, Q, rank, Y);
    if (centred) await centre(Y, n, rank, basis, mean);
    if (round === POWER_ITERATIONS) break;
    await engine.correlate(block, Y, rank, Q);
    basis.set(await Q.read());
    orthonormalise(basis, V, rank);
  }
  const { values, vectors } = symmetricEigen(await engine.gram(Y, n, rank), rank);
  Q.free();
  Y.free();
  const count = Math.min(H, rank);
  const directions = new Float64Array(V * count);
  for (let v = 0; v < V; v++) {
    for (let h = 0; h < count; h++) {
      for (let k = 0; k < rank; k++) directions[v * count + h] += basis[v * rank + k] * vectors[h * rank + k];
    }
  }
  const deviations = Float64Array.from({ length: count }, (_, h) => Math.sqrt(Math.max(0, values[h]) / n));
  return { mean, directions, deviations };
}

/** Additional directions beyond H, which make the range finder reliable. */
const OVERSAMPLING = 8;
const POWER_ITERATIONS = 3;

/** Directions that the range finder goes by. */
export function startRank(V: number, H: number): number {
  return Math.min(V, H + OVERSAMPLING);
}

/** The score whose reconstruction is the column's mean, after one more row of each value was counted in. */
export function baseRateScore(mean: number, n: number): number {
  const shrunk = (mean * n) / (n + 2);
  return Math.log((1 + shrunk) / (1 - shrunk));
}

async function columnMeans(engine: Engine, block: Block): Promise<Float64Array> {
  const ones = engine.floats(block.n);
  ones.fill(1);
  const sums = await correlated(engine, block, ones, 1);
  ones.free();
  return Float64Array.from(sums, (sum) => sum / block.n);
}

/** Subtracts the mean row's projection from each row of Y. */
async function centre(
  Y: Floats,
  n: number,
  rank: number,
  basis: Float64Array,
  mean: Float64Array,
): Promise<void> {
  const shift = new Float64Array(rank);
  for (let v = 0; v < mean.length; v++) {
    for (let k = 0; k < rank; k++) shift[k] += mean[v] * basis[v * rank + k];
  }
  const values = await Y.read();
  for (let i = 0; i < n; i++) for (let k = 0; k < rank; k++) values[i * rank + k] -= shift[k];
  Y.write(values);
}

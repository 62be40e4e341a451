import { inverse } from '../math/linear.ts';
import type { Engine, Floats, Running, Shape, Sums } from './engine.ts';
import { widthOf } from './engine.ts';
import { HostRunning } from './expected-loss.ts';

/** `Engine.precondition` of an engine whose numbers are at hand, in float64. */
export async function preconditionOnHost(
  engine: Pick<Engine, 'floats' | 'gram'>,
  W: Floats,
  shape: Shape,
  bends: Running,
  ridge: number,
  out: Floats,
): Promise<void> {
  const { V, H } = shape;
  const width = widthOf(shape);
  const weights = engine.floats(V);
  try {
    weights.write(valuesOf(bends));
    out.write(inverseHessian(await engine.gram(W, V, width, weights), width, H, ridge));
  } finally {
    weights.free();
  }
}

/** `Sums.running`, likewise. */
export function followOnHost(
  { means, share }: NonNullable<Sums['running']>,
  sums: ArrayLike<number>,
  count: number,
): void {
  const values = valuesOf(means);
  for (let v = 0; v < values.length; v++) values[v] += share * (sums[v] / count - values[v]);
}

/** (W^T diag(curvature) W + ridge)^-1 on the H units, given the Gram matrix of all `width` columns. */
export function inverseHessian(gram: Float64Array, width: number, H: number, ridge: number): Float64Array {
  const S = new Float64Array(H * H);
  for (let i = 0; i < H; i++) {
    for (let j = 0; j < H; j++) S[i * H + j] = gram[i * width + j] + (i === j ? ridge : 0);
  }
  return inverse(S, H, 1e-6);
}

function valuesOf(means: Running): Float64Array {
  if (means instanceof HostRunning) return means.values;
  throw new Error('engine: these running means belong to another engine');
}

import { inverse } from '../math/linear.ts';
import { type Engine, type Floats, floatsOf, type Running, type Shape, widthOf } from './engine.ts';
import { HostRunning } from './host-running.ts';

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
  const weights = floatsOf(engine, HostRunning.of(bends).values);
  try {
    out.write(inverseHessian(await engine.gram(W, V, width, weights), width, H, ridge));
  } finally {
    weights.free();
  }
}

/** (W^T diag(curvature) W + ridge)^-1 on the H units, given the Gram matrix of all `width` columns. */
export function inverseHessian(gram: Float64Array, width: number, H: number, ridge: number): Float64Array {
  const S = new Float64Array(H * H);
  for (let i = 0; i < H; i++) {
    for (let j = 0; j < H; j++) S[i * H + j] = gram[i * width + j] + (i === j ? ridge : 0);
  }
  return inverse(S, H, 1e-6);
}

import { type Engine, type Point, widthOf } from '../engine/engine.ts';
import { sum } from '../rows/sum.ts';

/** The mean loss of the first rows, and the mean Psi''(m_v) / 2 of each bit, without moving anything. */
export async function lookAt(
  engine: Engine,
  whole: Point,
  most = Number.POSITIVE_INFINITY,
): Promise<{ loss: number; curvature: Float64Array }> {
  const { V, H } = whole.shape;
  const n = Math.min(whole.block.n, most);
  const at = { ...whole, range: { start: 0, end: n } };
  const sizes = [at.block.n, V, at.W.length, H * H];
  const [losses, curvature, gradient, inverseHessian] = sizes.map((length) => engine.floats(length));
  const sums = { gradient, curvature };
  await engine.solve('codes', at, { steps: 0, tolerance: 0, ridge: 0, inverseHessian, losses, sums });
  const found = {
    loss: sum(await losses.read(0, n)) / n,
    curvature: Float64Array.from(await curvature.read(), (bend) => bend / n),
  };
  for (const used of [losses, curvature, gradient, inverseHessian]) used.free();
  return found;
}

/** The mean loss of each bit over the rows of a point. */
export async function bitLosses(engine: Engine, at: Point): Promise<Float64Array> {
  const inverseHessian = engine.floats(widthOf(at.shape) ** 2);
  const losses = engine.floats(at.shape.V);
  await engine.solve('weights', at, { steps: 0, tolerance: 0, inverseHessian, ridge: 0, losses });
  const found = Float64Array.from(await losses.read());
  for (const floats of [inverseHessian, losses]) floats.free();
  return found;
}

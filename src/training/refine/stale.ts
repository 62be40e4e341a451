import { type Engine, type Floats, floatsOf, type Point, widthOf } from '../../engine/engine.ts';

/**
 * Finds stale codes again. Codes date from their last visit, and W has moved since. If rows cost next to
 * nothing, codes are very long and become wrong by more than Newton's steps can mend. A code is stale if its
 * row costs more than with a code of 0; it then begins at 0, by conjugate gradients.
 */
export async function renewCodes(
  engine: Engine,
  at: Point,
  ridge: number,
  inverseHessian: Floats,
): Promise<void> {
  const { n } = at.block;
  const { H } = at.shape;
  const width = widthOf(at.shape);
  const codes = await at.E.read();
  const none = floatsOf(
    engine,
    codes.map((e, k) => (k % width < H ? 0 : e)),
  );
  const losses = engine.floats(n);
  try {
    await engine.measure(at, { losses });
    const now = await losses.read();
    await engine.measure({ ...at, E: none }, { losses });
    const without = await losses.read();
    const stale = now.map((loss, i) => Number(loss > without[i]));
    if (!stale.includes(1)) return;
    at.E.write(codes.map((e, k) => (k % width < H && stale[Math.floor(k / width)] ? 0 : e)));
    await engine.solve('codes', at, { steps: STEPS, tolerance: CLOSE, ridge, inverseHessian });
  } finally {
    none.free();
    losses.free();
  }
}

/**
 * As many steps as codes of new rows take before Newton's, and the expected gain at which they end, in nats.
 */
const STEPS = 20;
const CLOSE = 0.05;

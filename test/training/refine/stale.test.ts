import { afterAll, expect, it } from 'vitest';
import { floatsOf } from '../../../src/engine/engine.ts';
import { createEngine } from '../../../src/engine/node/index.ts';
import { crossEntropy } from '../../../src/losses/cross-entropy.ts';
import { renewCodes } from '../../../src/training/refine/stale.ts';
import { toyRows } from '../toy.ts';

const engine = await createEngine({ threads: 1 });
afterAll(() => engine.close());

it('codes that cost more than none begin anew, and the others stay as good as they were', async () => {
  const [n, H, ridge] = [40, 3, 1e-3];
  const shape = { V: 196, H, bias: true };
  const W = Float32Array.from({ length: shape.V * 4 }, (_, k) => Math.sin(k));
  const fine = Float32Array.from({ length: n * 4 }, (_, k) => Number(k % 4 === H));
  const at = {
    ...{ block: engine.load(toyRows(n, 2)), shape, loss: crossEntropy },
    ...{ W: floatsOf(engine, W), E: floatsOf(engine, fine) },
  };
  const losses = engine.floats(n);
  const identity = Float32Array.from({ length: H * H }, (_, k) => (k % (H + 1) === 0 ? 0.1 : 0));
  const inverseHessian = floatsOf(engine, identity);
  await engine.newton('codes', at, { ridge, move: true, losses });
  const before = await losses.read();
  const codes = await at.E.read();
  // Every fifth row is far away.
  at.E.write(codes.map((e, k) => (Math.floor(k / 4) % 5 === 0 && k % 4 < H ? e - 300 : e)));
  await renewCodes(engine, at, ridge, inverseHessian);
  await engine.measure(at, { losses });
  const after = await losses.read();
  await engine.measure({ ...at, E: floatsOf(engine, fine) }, { losses });
  const none = await losses.read();
  for (let i = 0; i < n; i++) {
    if (i % 5 === 0) expect(after[i]).toBeLessThan(none[i]);
    else expect(after[i]).toBeLessThanOrEqual(before[i] + 1e-3);
  }
});

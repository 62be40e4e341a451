import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { describe, expect, it } from 'vitest';
import type { Engine, Floats } from '../../src/engine/engine.ts';
import { LINEAR } from '../../src/engine/options.ts';
import { referenceEngine } from '../../src/engine/reference/engine.ts';
import { inverse } from '../../src/math/linear.ts';
import {
  correlations,
  crossEntropy,
  encode,
  frankWolfeGap,
  matrix,
  objective,
  optimalWeights,
  reconstruct,
} from '../../src/math.ts';
import type { RealRows } from '../../src/rows/rows.ts';

/** The reference engine is what fast engines are tested against; here it is held against the paper itself. */
const [n, V, H] = [12, 9, 3];
const random = (() => {
  const stream = xoroshiro128plus(5);
  return () => (stream.next() >>> 0) / 2 ** 31 - 1;
})();
const X = matrix(
  n,
  V,
  Float32Array.from({ length: n * V }, () => Math.fround(random() * 0.9)),
);
const W = matrix(
  V,
  H,
  Float32Array.from({ length: V * H }, () => Math.fround(2 * random())),
);
const E = matrix(
  n,
  H,
  Float32Array.from({ length: n * H }, () => Math.fround(random())),
);
const rows: RealRows = { kind: 'real', n, V, values: Float32Array.from(X.data) };
const shape = { V, H, bias: false };

function floats(engine: Engine, values: ArrayLike<number>): Floats {
  const out = engine.floats(values.length);
  out.write(values);
  return out;
}

function setUp() {
  const engine = referenceEngine();
  const at = {
    block: engine.load(rows),
    shape,
    W: floats(engine, W.data),
    E: floats(engine, E.data),
    loss: crossEntropy,
  };
  const identity = (size: number) =>
    floats(
      engine,
      Array.from({ length: size * size }, (_, i) => (i % (size + 1) === 0 ? 0.2 : 0)),
    );
  return { engine, at, identity };
}

describe('the reference engine', () => {
  it('measures the loss L(W, E) and the Frank-Wolfe gap', async () => {
    const { engine, at } = setUp();
    const [losses, gaps] = [engine.floats(n), engine.floats(n)];
    await engine.measure(at, { losses, gaps });
    const mean = (await losses.read()).reduce((sum, loss) => sum + loss, 0) / n;
    expect(mean).toBeCloseTo(objective(crossEntropy, W, E, X), 5);
    const e = E.data.slice(0, H);
    expect((await gaps.read())[0]).toBeCloseTo(frankWolfeGap(crossEntropy, W, e, X.data.slice(0, V)), 4);
  });

  it('differentiates the loss in codes and weights: central differences agree', async () => {
    const { engine, at } = setUp();
    const total = async () => {
      const losses = engine.floats(n);
      await engine.measure(at, { losses });
      return (await losses.read()).reduce((sum, loss) => sum + loss, 0);
    };
    const out = { codes: engine.floats(n * H), weights: engine.floats(V * H) };
    await engine.gradients(at, out);
    for (const [moved, found] of [
      [at.E, out.codes],
      [at.W, out.weights],
    ] as const) {
      for (let k = 0; k < moved.length; k++) {
        const [value] = await moved.read(k, k + 1);
        const step = 2 ** -7;
        moved.write([value + step], k);
        const above = await total();
        moved.write([value - step], k);
        const below = await total();
        moved.write([value], k);
        expect((await found.read())[k]).toBeCloseTo((above - below) / (2 * step), 3);
      }
    }
  });

  it('solves Enc of Prop. 2 in the box', async () => {
    const { engine, at, identity } = setUp();
    await engine.solve('codes', at, {
      steps: 300,
      tolerance: 0,
      inverseHessian: identity(H),
      ridge: 0,
      radius: 1,
    });
    const losses = engine.floats(n);
    await engine.measure(at, { losses });
    for (let i = 0; i < n; i++) {
      const best = encode(crossEntropy, W, X.data.slice(i * V, (i + 1) * V)).value / 2;
      expect((await losses.read())[i]).toBeCloseTo(best, 4);
    }
  });

  it('begins where weighted scores are closest to the entries', async () => {
    const { engine, at } = setUp();
    const weights = Float32Array.from({ length: V }, (_, v) => 0.1 + 0.01 * v);
    const [inverseHessian, linear] = [engine.floats(H * H), engine.floats(V)];
    linear.write(weights);
    const gram = await engine.gram(at.W, V, H, linear);
    inverseHessian.write(inverse(gram, H, 0));
    await engine.solve('codes', at, { steps: 0, tolerance: 0, inverseHessian, linear, ridge: 0 });
    const found = await at.E.read();
    const distance = (i: number, e: Float32Array) => {
      let sum = 0;
      for (let v = 0; v < V; v++) {
        let score = 0;
        for (let h = 0; h < H; h++) score += W.data[v * H + h] * e[h];
        sum += weights[v] * (score - LINEAR * X.data[i * V + v]) ** 2;
      }
      return sum;
    };
    for (let i = 0; i < n; i++) {
      const e = found.slice(i * H, (i + 1) * H);
      for (let h = 0; h < H; h++) {
        for (const step of [0.1, -0.1]) {
          expect(
            distance(
              i,
              e.map((z, j) => (j === h ? z + step : z)),
            ),
          ).toBeGreaterThan(distance(i, e));
        }
      }
    }
  });

  it('finds the optimal decoding weights of Theorem 1', async () => {
    const { engine, at, identity } = setUp();
    await engine.solve('weights', at, { steps: 500, tolerance: 0, inverseHessian: identity(H), ridge: 1e-3 });
    // Our penalty is on the halved slack: twice as much on the slack itself.
    const best = optimalWeights(crossEntropy, E, correlations(X, E), { ridge: 2e-3 });
    for (const [i, w] of (await at.W.read()).entries()) expect(w).toBeCloseTo(best.data[i], 2);
  });

  it('certifies, decodes and correlates as the paper defines it', async () => {
    const { engine, at } = setUp();
    const { losses, gaps } = await engine.polish(at, { tolerance: 1e-6, steps: 100, radius: 1 });
    for (let i = 0; i < n; i++) {
      const best = encode(crossEntropy, W, X.data.slice(i * V, (i + 1) * V)).value / 2;
      expect(losses[i] - best).toBeLessThanOrEqual(gaps[i] + 1e-9);
      expect(gaps[i]).toBeLessThan(1e-3);
    }
    const decoded = await engine.decode(
      { ...at, E: floats(engine, E.data), range: { start: 2, end: 4 } },
      'transfer',
    );
    const expected = reconstruct(crossEntropy, W, E).data.slice(2 * V, 4 * V);
    for (const [k, y] of decoded.entries()) expect(y).toBeCloseTo(expected[k], 5);
    const nB = engine.floats(V * H);
    await engine.correlate(at.block, floats(engine, E.data), H, nB);
    const B = correlations(X, E);
    for (const [k, value] of (await nB.read()).entries()) expect(value / n).toBeCloseTo(B.data[k], 5);
  });
});

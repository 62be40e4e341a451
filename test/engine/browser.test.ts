import { beforeAll, expect, it } from 'vitest';
import { createEngine, enableRelaxedSimd } from '../../src/engine/node/index.ts';
import { crossEntropy } from '../../src/math.ts';
import { describeInPages } from './page.ts';

/**
 * What both sides run: a small problem from whole numbers, solved, summed and polished. It is passed to the
 * page as text, so it uses nothing but its arguments.
 */
async function work(
  engine: import('../../src/engine/engine.ts').Engine,
  loss: import('../../src/math.ts').Loss,
): Promise<number[][]> {
  const [V, H, n] = [150, 17, 301];
  const bytes = Math.ceil(V / 8);
  const bits = Uint8Array.from({ length: n * bytes }, (_, i) => (i * i * 7 + (i >> 3) * 131) & 255);
  const block = engine.load({ kind: 'bits', n, V, bits });
  const W = engine.floats(V * H);
  const E = engine.floats(n * H);
  W.write(Float32Array.from({ length: V * H }, (_, i) => (((i * 37) % 101) - 50) / 40));
  const inverseHessian = engine.floats(H * H);
  for (let h = 0; h < H; h++) inverseHessian.write([0.05], h * (H + 1));
  const sums = { gradient: engine.floats(V * H), curvature: engine.floats(V) };
  const losses = engine.floats(n);
  const point = { block, shape: { V, H, bias: false }, W, E, loss };
  const options = { steps: 6, tolerance: 1e-6, ridge: 0.01, radius: 1, inverseHessian, losses, sums };
  await engine.solve('codes', point, options);
  const read = await Promise.all([losses, E, sums.gradient].map((floats) => floats.read()));
  const solved = read.map((values) => Array.from(values));
  const { losses: polished, gaps } = await engine.polish(point, { steps: 20, tolerance: 1e-4, radius: 1 });
  return [...solved, Array.from(polished), Array.from(gaps)];
}

interface Inside {
  readonly name: string;
  readonly threads: number;
  readonly isolated: boolean;
  readonly results: number[][];
}

describeInPages('in Chromium', [], (inPage) => {
  beforeAll(() => enableRelaxedSimd());
  const inside = (path: string, relaxed: boolean, threads: number) =>
    inPage<Inside>(
      `(async () => {
        const { createWasmEngine } = await import('/src/engine/wasm/engine.js');
        const { crossEntropy } = await import('/src/losses/cross-entropy.js');
        const engine = await createWasmEngine({ threads: ${threads}, relaxed: ${relaxed} });
        const results = await (${work.toString()})(engine, crossEntropy);
        await engine.close();
        return { name: engine.name, threads: engine.threads, isolated: crossOriginIsolated, results };
      })()`,
      path,
    );

  it.each([false, true])('the same kernels give the same bits as in Node (relaxed: %s)', async (relaxed) => {
    const engine = await createEngine({ threads: 2, relaxed });
    const expected = await work(engine, crossEntropy);
    await engine.close();
    const isolated = await inside('', relaxed, 2);
    expect(isolated).toMatchObject({ name: engine.name, threads: 2, isolated: true });
    expect(isolated.results).toEqual(expected);
  });

  it('a page that is not cross-origin isolated runs the same kernels on one thread', async () => {
    const engine = await createEngine({ threads: 1, relaxed: false });
    const expected = await work(engine, crossEntropy);
    await engine.close();
    const plain = await inside('plain', false, 4);
    expect(plain).toMatchObject({ threads: 1, isolated: false });
    expect(plain.results).toEqual(expected);
  });
});

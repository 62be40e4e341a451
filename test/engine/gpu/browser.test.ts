import { expect, it } from 'vitest';
import { referenceEngine } from '../../../src/engine/reference/engine.ts';
import { crossEntropy } from '../../../src/math.ts';
import { describeInPages } from '../page.ts';
import { difference, largest } from '../problems.ts';

const GPU = ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader', '--enable-unsafe-swiftshader'];

/** What both sides run; it is passed to the page as text, so it uses nothing but its arguments. */
async function work(
  engine: import('../../../src/engine/engine.ts').Engine,
  loss: import('../../../src/math.ts').Loss,
): Promise<number[][]> {
  const [V, H, n] = [50, 7, 41];
  const bits = Uint8Array.from({ length: n * 7 }, (_, i) => (i * i * 7 + (i >> 3) * 131) & 255);
  const block = engine.load({ kind: 'bits', n, V, bits });
  const [W, E, losses, gaps] = [V * H, n * H, n, n].map((length) => engine.floats(length));
  W.write(Float32Array.from({ length: V * H }, (_, i) => (((i * 37) % 101) - 50) / 40));
  E.write(Float32Array.from({ length: n * H }, (_, i) => (((i * 29) % 67) - 33) / 30));
  await engine.measure({ block, shape: { V, H, bias: false }, W, E, loss }, { losses, gaps, radius: 2 });
  return [Array.from(await losses.read()), Array.from(await gaps.read())];
}

describeInPages('in Chromium, on its SwiftShader', GPU, (inPage) => {
  it('the GPU engine agrees with the reference', async () => {
    const found = await inPage<{ name: string; results: number[][] }>(`(async () => {
      const { createGpuEngine } = await import('/src/engine/gpu/engine.js');
      const { crossEntropy } = await import('/src/losses/cross-entropy.js');
      const engine = await createGpuEngine();
      const results = await (${work.toString()})(engine, crossEntropy);
      await engine.close();
      return { name: engine.name, results };
    })()`);
    expect(found.name).toMatch(/^gpu \(.*\)$/);
    const expected = await work(referenceEngine(), crossEntropy);
    found.results.forEach((values, k) => {
      expect(difference(values, expected[k], 10 * largest(expected[k]))).toBeLessThan(1e-5);
    });
  });
});

import { afterAll, describe, expect, it } from 'vitest';
import { createEngine } from '../../../src/engine/node/index.ts';
import { crossEntropy, hamming } from '../../../src/math.ts';

const engine = await createEngine({ threads: 2 });
afterAll(() => engine.close());

/** Decodes rows all at once, where zeros are skipped, and one by one, where they are not. */
async function bothWays(
  V: number,
  H: number,
  share: number,
  what: 'scores' | 'transfer',
  loss = crossEntropy,
) {
  const n = 45;
  const W = engine.floats(V * H);
  const E = engine.floats(n * H);
  const noise = (i: number) => Math.sin(12.9898 * i) * 43758.5453;
  W.write(
    Float32Array.from({ length: V * H }, (_, i) =>
      noise(i) - Math.floor(noise(i)) < share ? Math.cos(i) : 0,
    ),
  );
  E.write(Float32Array.from({ length: n * H }, (_, i) => Math.sin(i)));
  const shape = { V, H, bias: false };
  const together = await engine.decode({ W, E, shape, loss }, what);
  const apart = new Float32Array(n * V);
  for (let i = 0; i < n; i++) {
    apart.set(
      await engine.decode({ W, E, shape, offset: i, range: { start: 0, end: 1 }, loss }, what),
      i * V,
    );
  }
  W.free();
  E.free();
  return { together, apart };
}

describe('decoding with a sparse W', () => {
  it.each([
    [13, 5, 0.2],
    [64, 33, 0.1],
    [7, 100, 0.02],
    [30, 4, 0],
  ])(
    'gives the very same numbers as with its zeros (V %i, H %i, %f of them not zero)',
    async (V, H, share) => {
      for (const what of ['scores', 'transfer'] as const) {
        const { together, apart } = await bothWays(V, H, share, what);
        expect(together).toEqual(apart);
      }
      const { together, apart } = await bothWays(V, H, share, 'transfer', hamming);
      expect(together).toEqual(apart);
    },
  );
});

import { afterAll, describe, expect, it } from 'vitest';
import { floatsOf } from '../../../src/engine/engine.ts';
import { createEngine } from '../../../src/engine/node/index.ts';
import { crossEntropy } from '../../../src/math.ts';
import { fitLayer, type Layer, layerLosses, settleBetween } from '../../../src/training/stack/stack.ts';
import { generator } from '../../engine/problems.ts';

const engine = await createEngine({ threads: 1 });
afterAll(() => engine.close());

const [n, V, H] = [6, 20, 4];

function problem(seed: number) {
  const random = generator(seed);
  const draw = (length: number, scale: number) =>
    Float32Array.from({ length }, () => scale * (2 * random() - 1));
  const W = floatsOf(engine, draw(V * (H + 1), 2));
  const x = draw(n * V, 1);
  const layer: Layer = { engine, shape: { V, H, bias: true }, W };
  const block = engine.load({ kind: 'real', n, V, values: x });
  return { layer, block, x, A: draw(n * H, 0.8), m: draw(n * H, 3) };
}

/** The objective of row i and its gradient, in plain float64. */
async function plain(
  { layer, x, m }: ReturnType<typeof problem>,
  i: number,
  a: ArrayLike<number>,
  coupling: number,
) {
  const W = await layer.W.read();
  const g = new Float64Array(H);
  let f = 0;
  for (let v = 0; v < V; v++) {
    let score = W[v * (H + 1) + H];
    for (let h = 0; h < H; h++) score += W[v * (H + 1) + h] * a[h];
    f += 0.5 * (crossEntropy.psi(score) - x[i * V + v] * score);
    for (let h = 0; h < H; h++) {
      g[h] += 0.5 * (crossEntropy.psiPrime(score) - x[i * V + v]) * W[v * (H + 1) + h];
    }
  }
  for (let h = 0; h < H; h++) {
    f += 0.5 * coupling * (crossEntropy.conjugate(a[h]) - a[h] * m[i * H + h]);
    g[h] += 0.5 * coupling * (crossEntropy.gamma(a[h]) - m[i * H + h]);
  }
  return { f, g };
}

describe('the backward problem of a stack', () => {
  it.each([0.5, 1, 8])(
    'ends where its gradient vanishes, never above its start (coupling %d)',
    async (coupling) => {
      for (const seed of [1, 2, 3]) {
        const given = problem(seed);
        const found = await settleBetween(given.layer, given.block, given.A, given.m, {
          coupling,
          steps: 400,
        });
        const early = await settleBetween(given.layer, given.block, given.A, given.m, {
          coupling,
          steps: 2,
        });
        for (let i = 0; i < n; i++) {
          const row = (A: Float32Array) => A.subarray(i * H, (i + 1) * H);
          const at = await plain(given, i, row(found), coupling);
          expect((await plain(given, i, row(early), coupling)).f).toBeLessThanOrEqual(
            (await plain(given, i, row(given.A), coupling)).f + 1e-5,
          );
          expect(at.f).toBeLessThanOrEqual((await plain(given, i, row(early), coupling)).f + 1e-5);
          expect(Math.max(...at.g.map(Math.abs))).toBeLessThan(0.02);
        }
      }
    },
  );

  it('gives what the layer above decodes to, when that is all that counts', async () => {
    const given = problem(4);
    const found = await settleBetween(given.layer, given.block, given.A, given.m, {
      coupling: 1e5,
      steps: 60,
    });
    found.forEach((a, k) => {
      expect(a).toBeCloseTo(Math.tanh(given.m[k] / 2), 2);
    });
  });
});

describe('the forward problem of a stack', () => {
  it('never raises the loss of the rows below', async () => {
    const given = problem(5);
    const before = await layerLosses(given.layer, given.block, given.A);
    await fitLayer(given.layer, given.block, given.A, { steps: 10, ridge: 0 });
    const after = await layerLosses(given.layer, given.block, given.A);
    const sum = (values: Float32Array) => values.reduce((a, b) => a + b, 0);
    expect(sum(after)).toBeLessThan(sum(before));
  });
});

import { describe, expect, it } from 'vitest';
import { createEngine } from '../../src/engine/node/index.ts';
import { crossEntropy } from '../../src/math.ts';
import { rowBytes } from '../../src/rows/rows.ts';
import { Encoder } from '../../src/solvers/encode.ts';
import { BitEncoder } from '../../src/solvers/encode-bits.ts';

describe.each(['real', 'bits'])('an encoder of %s codes', (kind) => {
  it('gives the memory of rows and codes back when it fails', async () => {
    const engine = await createEngine({ threads: 1, memory: 2 ** 22 });
    const [V, H] = [64, 8];
    const W = Float32Array.from({ length: V * H }, (_, i) => Math.sin(i));
    const curvature = new Float32Array(V).fill(0.1);
    const decoder = { shape: { V, H, bias: false }, W, loss: crossEntropy, radius: 1, curvature };
    const encoder = await (kind === 'bits' ? BitEncoder : Encoder).create(engine, decoder);
    const rows = (n: number) => ({ kind: 'bits' as const, n, V, bits: new Uint8Array(n * rowBytes(V)) });
    const known = (n: number) => ({ ...rows(n), known: new Uint8Array(n * rowBytes(V)).fill(255) });
    for (let attempt = 0; attempt < 5; attempt++) {
      // One of them has no room for codes, the other none for which entries are known.
      await expect(encoder.encode(rows(110_000), 0.01)).rejects.toThrow('MiB');
      await expect(encoder.encode(known(300_000), 0.01)).rejects.toThrow('MiB');
    }
    expect(engine.floats(700_000).length).toBe(700_000);
    await engine.close();
  });
});

it('says of a code that was only measured that no other is better by more than its loss', async () => {
  const engine = await createEngine({ threads: 1 });
  const [n, V, H] = [20, 40, 5];
  const W = Float32Array.from({ length: V * H }, (_, i) => 3 * Math.sin(i * i));
  const curvature = new Float32Array(V).fill(0.1);
  const shape = { V, H, bias: false };
  const encoder = await Encoder.create(engine, { shape, W, loss: crossEntropy, radius: 100, curvature });
  const bits = Uint8Array.from({ length: n * rowBytes(V) }, (_, i) => (37 * i * i) & 255);
  const block = engine.load({ kind: 'bits', n, V, bits });
  const E = engine.floats(n * H);
  const { losses, gaps } = await encoder.approach({ block, E }, 1);
  const best = await encoder.encodeBlock({ block, E }, 1e-6);
  gaps.forEach((gap, i) => {
    expect(gap).toBeLessThanOrEqual(losses[i]);
    expect(gap).toBeGreaterThanOrEqual(0.9999 * (losses[i] - best.losses[i]));
  });
  await engine.close();
});

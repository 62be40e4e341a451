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

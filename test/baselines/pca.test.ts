import { describe, expect, it } from 'vitest';
import { fitPca, pcaLoss } from '../../src/baselines/pca.ts';
import { referenceEngine } from '../../src/engine/reference/engine.ts';
import { createWasmEngine } from '../../src/engine/wasm/engine.ts';
import { asRows } from '../../src/rows/input.ts';
import { leaks } from '../engine/failing.ts';
import { baseRateLoss, toyRows } from '../training/toy.ts';

describe('PCA with a link', () => {
  it('finds the axis of rows that lie on a line', async () => {
    const data = Uint8Array.from({ length: 40 * 6 }, (_, k) => (Math.floor(k / 6) % 2 === k % 2 ? 1 : 0));
    const rows = asRows({ data, n: 40, V: 6 });
    const engine = referenceEngine();
    const pca = await fitPca(rows, { H: 1, engine });
    const axis = pca.directions.map((d) => Math.abs(d) * Math.sqrt(6));
    for (const d of axis) expect(d).toBeCloseTo(1, 5);
    expect((await pcaLoss(rows, pca, { engine })).linked).toBeLessThan(0.5);
  });

  it('does better than base rates, better with more components, and better linked than clipped', async () => {
    const rows = toyRows(150);
    const engine = referenceEngine();
    const losses = [];
    for (const H of [2, 8]) losses.push(await pcaLoss(rows, await fitPca(rows, { H, engine }), { engine }));
    expect(losses[0].linked).toBeLessThan(baseRateLoss(rows));
    expect(losses[1].linked).toBeLessThan(losses[0].linked);
    for (const { linked, clipped } of losses) expect(linked).toBeLessThan(clipped);
  });

  it('costs probabilities at least their entropy', async () => {
    const engine = referenceEngine();
    const data = Float32Array.from({ length: 40 * 6 }, (_, k) => ((7 * k) % 11 > 4 ? 0.9 : 0.1));
    const table = { data, n: 40, V: 6 };
    const { linked, clipped } = await pcaLoss(table, await fitPca(table, { H: 3, engine }), { engine });
    const entropy = -6 * (0.9 * Math.log(0.9) + 0.1 * Math.log(0.1));
    for (const loss of [linked, clipped]) expect(loss).toBeGreaterThanOrEqual(entropy);
  });

  it('takes tables, and as many components as there can be', async () => {
    const engine = referenceEngine();
    const table = { data: Uint8Array.from({ length: 60 }, (_, k) => (k % 7) & 1), n: 12, V: 5 };
    const all = await fitPca(table, { H: 5, engine });
    expect(all.H).toBe(5);
    expect(await pcaLoss(table, all, { engine })).toEqual(await pcaLoss(asRows(table), all, { engine }));
    for (const [H, message] of [
      [0, /H must be a whole number of at least 1, got 0/],
      [99, /rows of 5 columns have 5 components at most, got H = 99/],
    ] as const) {
      await expect(fitPca(table, { H, engine })).rejects.toThrow(message);
    }
    await expect(fitPca(table, undefined as never)).rejects.toThrow(/fitPca\(rows, \{ H: 8 \}\)/);
    await expect(pcaLoss({ ...table, n: 15, V: 4 }, all, { engine })).rejects.toThrow(/rows have 4 columns/);
  });

  it("gives the engine's memory back when it fails", async () => {
    const rows = toyRows(20);
    const found = await leaks(await createWasmEngine(), async (engine) =>
      pcaLoss(rows, await fitPca(rows, { H: 2, engine }), { engine }),
    );
    expect(found).toEqual([]);
  });
});

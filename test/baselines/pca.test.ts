import { describe, expect, it } from 'vitest';
import { fitPca, pcaLoss } from '../../src/baselines/pca.ts';
import { referenceEngine } from '../../src/engine/reference.ts';
import { asRows } from '../../src/rows/input.ts';
import { baseRateLoss, toyRows } from '../training/toy.ts';

describe('PCA with a link', () => {
  it('finds the axis of rows that lie on a line', async () => {
    const data = Uint8Array.from({ length: 40 * 6 }, (_, k) => (Math.floor(k / 6) % 2 === k % 2 ? 1 : 0));
    const rows = asRows({ data, n: 40, V: 6 });
    const pca = await fitPca(referenceEngine(), rows, 1);
    const axis = pca.directions.map((d) => Math.abs(d) * Math.sqrt(6));
    for (const d of axis) expect(d).toBeCloseTo(1, 5);
    expect((await pcaLoss(referenceEngine(), rows, pca)).linked).toBeLessThan(0.5);
  });

  it('does better than base rates, better with more components, and better linked than clipped', async () => {
    const rows = toyRows(150);
    const engine = referenceEngine();
    const losses = [];
    for (const H of [2, 8]) losses.push(await pcaLoss(engine, rows, await fitPca(engine, rows, H)));
    expect(losses[0].linked).toBeLessThan(baseRateLoss(rows));
    expect(losses[1].linked).toBeLessThan(losses[0].linked);
    for (const { linked, clipped } of losses) expect(linked).toBeLessThan(clipped);
  });
});

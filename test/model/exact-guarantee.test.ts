import { expect, it } from 'vitest';
import { exactGuarantee, fit, PCAE } from '../../src/index.ts';
import { correlations, crossEntropy, matrix, reconstruct } from '../../src/math.ts';
import { entry, sliceRows } from '../../src/rows/rows.ts';
import { lowRankRows } from '../low-rank.ts';
import { worstCase } from '../math/adversary.ts';

const [n, V, H] = [60, 5, 2];
const rows = lowRankRows(400, V, 3);
const few = sliceRows(rows, 0, n);

it('is the largest loss of all data with such correlations, by a linear program', async () => {
  const learned = await fit(rows, { H, epochs: 5 });
  // Weights that are best for no drift, and small enough for the linear program.
  const model = new PCAE({ ...learned, W: learned.W.map((w) => 0.02 * w) });
  const { codes } = await model.encode(few);
  const E = matrix(n, H + 1);
  for (let i = 0; i < n; i++) E.data.set([...codes.subarray(i * H, (i + 1) * H), 1], i * (H + 1));
  const X = matrix(
    n,
    V,
    Float64Array.from({ length: n * V }, (_, k) => entry(few, Math.floor(k / V), k % V)),
  );
  const W = matrix(V, H + 1, model.W);
  const sizes = Array.from({ length: H + 1 }, (_, h) =>
    Math.sqrt(E.data.filter((__, k) => k % (H + 1) === h).reduce((sum, e) => sum + e * e, 0) / n),
  );
  for (const drift of [0, 0.05, 0.3, 1]) {
    const eps = Float64Array.from({ length: V * (H + 1) }, (_, k) => drift * sizes[k % (H + 1)]);
    const lp = worstCase(crossEntropy, E, correlations(X, E), reconstruct(crossEntropy, W, E), eps);
    const found = await exactGuarantee(model, few, { drift });
    expect(found.bound).toBeCloseTo(lp, 4);
    expect(found.bound).toBeLessThanOrEqual(found.upper + 1e-9);
    if (drift === 0) expect(found.bound).toBeCloseTo(found.loss, 4);
    if (drift === 1) expect(found.bound).toBeLessThan(0.99 * found.upper);
  }
});

it('allows for correlations that the source may have, within an ellipsoid for each bit', async () => {
  const model = await fit(rows, { H, epochs: 5 });
  const bounds: number[] = [];
  for (const confidence of [0.5, 0.99]) {
    const found = await exactGuarantee(model, few, { drift: 'ellipsoid', confidence });
    expect(found).toMatchObject({ drift: 'ellipsoid', confidence });
    expect(found.bound).toBeGreaterThan(found.loss);
    expect(found.bound).toBeLessThanOrEqual(found.upper + 1e-9);
    bounds.push(found.bound);
  }
  expect(bounds[1]).toBeGreaterThan(bounds[0]);
  // More rows tell more of their source.
  const all = await exactGuarantee(model, rows, { drift: 'ellipsoid' });
  expect(all.bound - all.loss).toBeLessThan(bounds[1]);
  await expect(exactGuarantee(model, few, { drift: 'ellipsoid', confidence: 1 })).rejects.toThrow(
    'confidence must be between 0 and 1',
  );
});

it('stops when it is asked to, and wants whole rows', async () => {
  const model = await fit(rows, { H, epochs: 2 });
  await expect(exactGuarantee(model, few, { drift: -1 })).rejects.toThrow(
    "drift must be 'ellipsoid' or at least 0",
  );
  await expect(exactGuarantee(model, few, { signal: AbortSignal.abort() })).rejects.toThrow('abort');
  const gaps = { ...few, known: new Uint8Array(n).fill(0b11110) } as typeof few;
  await expect(exactGuarantee(model, gaps)).rejects.toThrow('column 0');
});

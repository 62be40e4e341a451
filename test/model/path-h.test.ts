import { afterAll, describe, expect, it } from 'vitest';
import { createEngine } from '../../src/engine/node/index.ts';
import { fit } from '../../src/model/fit.ts';
import { PCAE } from '../../src/model/model.ts';
import { type PathHOptions, pathH } from '../../src/model/path-h.ts';
import { sliceRows, takeRows } from '../../src/rows/rows.ts';
import { holdOut } from '../../src/rows/split.ts';
import { gaussians } from '../../src/solvers/gaussians.ts';
import { baseRateLoss, toyRows } from '../training/toy.ts';

const engine = await createEngine({ threads: 1 });
afterAll(() => engine.close());

describe('pathH', () => {
  it('never raises the training loss, and measures on entries and rows that it held out', async () => {
    const rows = toyRows(400);
    const { steps, best } = await pathH(rows, { Hs: [2, 4, 8], epochs: 12, engine });
    expect(steps.map(({ H }) => H)).toEqual([2, 4, 8]);
    for (let k = 1; k < steps.length; k++)
      expect(steps[k].trainingLoss).toBeLessThanOrEqual(steps[k - 1].trainingLoss);
    expect(best.entryLoss).toBe(Math.min(...steps.map(({ entryLoss }) => entryLoss)));
    for (const step of steps) {
      expect(step.model.H).toBe(step.H);
      expect(step.model.training.n).toBe(360);
      expect(step.heldOutLoss).toBeGreaterThan(0.9 * step.trainingLoss);
    }
    expect(best.entryLoss).toBeLessThan(baseRateLoss(rows) / rows.V);
    // One of few epochs of growth is as good as a cold start of many more.
    const cold = await fit(rows, { H: 8, epochs: 12, engine });
    expect(steps[2].trainingLoss).toBeLessThan(1.2 * cold.training.loss);
  });

  it('keeps the smaller model where learning on would be worse', async () => {
    const rows = toyRows(200);
    // Steps of W far too long end above where they started.
    const { steps } = await pathH(rows, {
      Hs: [3, 5],
      epochs: 10,
      furtherEpochs: 1,
      rate: 3,
      hide: 0.2,
      engine,
    });
    expect(steps[1].trainingLoss).toBeLessThanOrEqual(steps[0].trainingLoss);
    const { losses } = await steps[1].model.encode(toyRows(20, 9), { engine });
    expect(losses.every((loss) => loss >= 0)).toBe(true);
  });

  it('rejects when it is aborted; the sizes that were done have been told', async () => {
    const rows = toyRows(200);
    const stop = new AbortController();
    const told: number[] = [];
    const path = pathH(rows, {
      ...{ Hs: [2, 3, 4], epochs: 4, engine, signal: stop.signal },
      onStep: ({ H }) => {
        told.push(H);
        if (H === 3) stop.abort();
      },
    });
    await expect(path).rejects.toMatchObject({ name: 'AbortError' });
    expect(told).toEqual([2, 3]);
    await expect(pathH(rows, { Hs: [2], epochs: 4, engine, signal: stop.signal })).rejects.toThrow(/abort/);
  });

  it('finds that independent bits have no structure to learn', async () => {
    const n = 300;
    const V = 24;
    const data = Uint8Array.from(gaussians(n * V, 3), (g) => (g > 0 ? 1 : 0));
    const { steps } = await pathH({ data, n, V }, { Hs: [1, 8], epochs: 20, hide: 0.2, engine });
    expect(steps[1].trainingLoss).toBeLessThan(steps[0].trainingLoss);
    // Hidden entries cannot be guessed better than by even odds: which of the two is less wrong is chance.
    for (const { entryLoss } of steps) expect(entryLoss).toBeGreaterThan(0.99 * Math.LN2);
  });

  it('measures hidden entries by what their columns count', async () => {
    const rows = toyRows(100);
    const columnWeights = Float32Array.from({ length: rows.V }, (_, v) => v % 3);
    const { best } = await pathH(rows, { Hs: [2], epochs: 5, columnWeights, engine });
    const held = takeRows(rows, holdOut(rows.n, 0.1, 1).held);
    const unweighted = new PCAE({ ...best.model, columnWeights: undefined });
    const of = (model: PCAE) => model.chooseShrink(held, { engine });
    expect(best.entryLoss).toBe((await of(best.model)).entryLoss);
    expect(best.entryLoss).not.toBeCloseTo((await of(unweighted)).entryLoss, 4);
  });

  it('counts rows by their weights', async () => {
    const rows = toyRows(150);
    const few = sliceRows(rows, 0, 100);
    const rowWeights = Uint8Array.from({ length: 150 }, (_, i) => (i < 100 ? 2 : 0));
    const options = { Hs: [2, 3], epochs: 6, engine };
    const { best: weighted } = await pathH(rows, { ...options, rowWeights });
    const { best: alone } = await pathH(few, options);
    for (const key of ['trainingLoss', 'entryLoss', 'heldOutLoss'] as const) {
      expect(weighted[key] / alone[key]).toBeCloseTo(1, 2);
    }
  });

  it('names what it cannot do', async () => {
    const rows = toyRows(30);
    for (const never of [{ chosen: new Uint8Array(196 * 2) }, { noise: { mask: 0.1 } }]) {
      await expect(pathH(rows, { Hs: [2, 3], engine, ...never })).rejects.toThrow(/is not for this call/);
    }
    await expect(pathH(rows, undefined as unknown as PathHOptions)).rejects.toThrow(/pathH\(rows, \{ Hs/);
    await expect(pathH(rows, { Hs: [4, 2], engine })).rejects.toThrow(/growing whole numbers/);
    await expect(pathH(rows, { Hs: [2], encoding: 'simplex', engine })).rejects.toThrow(/box and real codes/);
    await expect(pathH(rows, { Hs: [2, 3], epochs: 1, codes: 'recompute', engine })).rejects.toThrow(
      /pathH: .*leave codes out/,
    );
  });
});

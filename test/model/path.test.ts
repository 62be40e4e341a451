import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import { createEngine } from '../../src/engine/node/index.ts';
import { l1Path, type PathOptions, type PathStep } from '../../src/model/path.ts';
import { memorySource } from '../../src/rows/memory.ts';
import { sliceRows } from '../../src/rows/rows.ts';
import { toyRows } from '../training/toy.ts';

const rows = toyRows(300);
let engine: Engine;
let steps: PathStep[];
beforeAll(async () => {
  engine = await createEngine({ threads: 1 });
  steps = await l1Path(rows, { H: 5, epochs: 8, l1s: [0.05, 0, 0.005], heldOut: 0.2, engine });
});
afterAll(() => engine.close());

describe('the path over eps', () => {
  it('goes from dense to sparse, whatever the order asked for', () => {
    expect(steps.map(({ l1 }) => l1)).toEqual([0, 0.005, 0.05]);
    expect(steps[0].zeros).toBe(0);
    expect(steps[2].zeros).toBeGreaterThan(steps[1].zeros);
    expect(steps[1].zeros).toBeGreaterThan(0.05);
    expect(steps[2].trainingLoss).toBeGreaterThan(steps[1].trainingLoss);
  });

  it('goes on from the model before with fewer epochs', () => {
    expect(steps.map(({ model }) => model.training.epochs)).toEqual([8, 2, 2]);
  });

  it('says what each model is: loss on rows held out, bound under the drift it was learned for', async () => {
    for (const { model, l1, bound, trainingLoss, heldOutLoss, gap } of steps) {
      expect(model.training.n).toBe(240);
      expect(bound).toBe(model.guarantee(l1).bound);
      expect(trainingLoss).toBe(model.training.loss);
      expect(heldOutLoss).toBeGreaterThan(0);
      expect(gap.max).toBeLessThanOrEqual(0.01);
    }
    // Where correlations are trusted less, the promise under that drift is better than a dense model's.
    expect(steps[2].bound).toBeLessThan(steps[0].model.guarantee(0.05).bound);
  });

  it('rejects when it is aborted, in whichever of its fits', async () => {
    const stop = new AbortController();
    let fits = 0;
    const path = l1Path(rows, {
      ...{ H: 3, epochs: 4, l1s: [0, 0.01], engine, signal: stop.signal },
      onProgress: ({ phase }) => phase === 'start' && ++fits === 2 && stop.abort(),
    });
    await expect(path).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('gives models that know the categories of their columns and how rows were read', async () => {
    const groups = [{ name: 'colour', first: 3, values: ['red', 'green', 'blue'] }];
    const schema = { values: 'bits', binarize: 'none', seed: 1, kind: 'bits' } as const;
    const source = { ...memorySource(rows, { groups, schema }) };
    const [{ model }] = await l1Path(source, { H: 2, epochs: 1, l1s: [0.01], engine });
    expect(model.groups).toEqual(groups);
    expect(model.schema).toEqual(schema);
  });

  it('counts rows by their weights, in both parts', async () => {
    // The last hundred rows are of another kind, and count for nothing.
    const few = sliceRows(rows, 0, 200);
    const rowWeights = Uint8Array.from({ length: 300 }, (_, i) => (i < 200 ? 2 : 0));
    const options = { H: 3, epochs: 4, l1s: [0.01], heldOut: 0.2, engine };
    const [weighted] = await l1Path(rows, { ...options, rowWeights });
    const [alone] = await l1Path(few, options);
    expect(weighted.model.training.n).toBe(160);
    expect(weighted.heldOutLoss).toBeCloseTo(alone.heldOutLoss, 3);
    expect(weighted.trainingLoss).toBeCloseTo(alone.trainingLoss, 3);
  });

  it('names what it cannot do before it learns', async () => {
    await expect(l1Path(rows, { H: 3, l1s: [], engine })).rejects.toThrow(/at least one number/);
    await expect(l1Path(rows, undefined as unknown as PathOptions)).rejects.toThrow(/l1Path\(rows, \{ H: 8/);
    const noise = { H: 3, l1s: [0], noise: { mask: 0.1 }, engine };
    await expect(l1Path(rows, noise)).rejects.toThrow(/l1Path: noise is not for this call/);
  });
});

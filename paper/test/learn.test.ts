import { fit } from 'pc-ae';
import { referenceEngine } from 'pc-ae/engine';
import { describe, expect, it } from 'vitest';
import { loadSet } from '../src/datasets.ts';
import { learn, learnBoth, testLoss } from '../src/learn.ts';
import { fakeData } from './fake-data.ts';

const { data } = fakeData();

describe('learning for the table', () => {
  it('finishes one training twice, with the very models that two trainings give', async () => {
    const { train, test } = await loadSet(data, 'caltech101');
    const engine = referenceEngine();
    const context = { engine, seed: 3, epochs: 2 };
    const { box, real } = await learnBoth(train, { H: 4 }, context);
    for (const [model, encoding] of [
      [box, 'box'],
      [real, 'real'],
    ] as const) {
      const alone = await fit(train, { H: 4, encoding, seed: 3, epochs: 2, engine });
      expect(model.W).toEqual(alone.W);
      expect(model.trainingCodes).toEqual(alone.trainingCodes);
      const { loss } = await testLoss(model, test, context);
      expect(loss).toBe(await alone.loss(test, { engine }));
    }
  });

  it('throws when interrupted: half a run is no result', async () => {
    const { train } = await loadSet(data, 'caltech101');
    const stop = new AbortController();
    const onProgress = () => stop.abort();
    const context = { engine: referenceEngine(), seed: 1, signal: stop.signal, onProgress };
    await expect(learn(train, { H: 2 }, context)).rejects.toThrow(/abort/i);
  });
});

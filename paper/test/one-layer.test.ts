import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { referenceEngine } from 'pc-ae/engine';
import { describe, expect, it } from 'vitest';
import { loadSet } from '../src/datasets.ts';
import { heldOutOneLayer, keptOneLayer } from '../src/one-layer.ts';
import { fakeData } from './fake-data.ts';

const { data, at } = fakeData();
const models = at('models');
const context = { engine: referenceEngine(), seed: 3, epochs: 4, models };
/** With this, whatever is learned is thrown away: what comes back was kept. */
const stopped = { ...context, signal: AbortSignal.abort() };

describe('autoencoders that are kept', () => {
  it('are found again as they were chosen, for figures of the same rows and settings alone', async () => {
    const set = await loadSet(data, 'mnist');
    const { onValidation } = await heldOutOneLayer(set, 3, 'relu', context);
    const kept = await keptOneLayer(set, 3, 'relu', stopped);
    expect(kept).toEqual(onValidation);
    expect(kept.loss).toBeCloseTo(await kept.autoencoder.loss(set.test, context), 5);
    await expect(keptOneLayer(set, 3, 'logistic', stopped)).rejects.toThrow('abort');
    await expect(keptOneLayer(set, 3, 'relu', { ...stopped, seed: 4 })).rejects.toThrow('abort');
    const other = await loadSet(data, 'omniglot');
    await expect(keptOneLayer(other, 3, 'relu', stopped)).rejects.toThrow('abort');
  });

  it('are learned where none was kept, and refused where the file holds something else', async () => {
    const set = await loadSet(data, 'caltech101');
    const learned = await keptOneLayer(set, 2, 'logistic', context);
    expect(await keptOneLayer(set, 2, 'logistic', stopped)).toEqual(learned);
    const file = readdirSync(models).find((name) => name.startsWith('logistic-2-')) ?? '';
    writeFileSync(join(models, file), new Uint8Array(100));
    await expect(keptOneLayer(set, 2, 'logistic', context)).rejects.toThrow(file);
  });
});

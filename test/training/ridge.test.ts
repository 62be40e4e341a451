import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import { createEngine } from '../../src/engine/node/index.ts';
import { fit } from '../../src/model/fit.ts';
import { hideEntries } from '../../src/rows/hide.ts';
import { entryNats, lowRankRows } from '../low-rank.ts';

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ threads: 1 });
});
afterAll(() => engine.close());

describe("ridge 'auto'", () => {
  it('is the one under which entries that nobody saw are guessed well', async () => {
    const { shown, hidden } = hideEntries(lowRankRows(600, 40, 5), 0.15, 9);
    const nats = async (options: { ridge?: 'auto' | number; validation?: number }) => {
      const model = await fit(shown, { H: 6, engine, ...options });
      return {
        ridge: model.training.ridge,
        nats: entryNats(hidden, await model.reconstruct(shown, { engine })),
      };
    };
    const plain = await nats({});
    const chosen = await nats({ ridge: 'auto', validation: 0.2 });
    expect(chosen.nats).toBeLessThan(0.5 * plain.nats);
    expect(chosen.ridge).toBeGreaterThan(0.01);
  });
});

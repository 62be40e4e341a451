import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import { createEngine } from '../../src/engine/node/index.ts';
import { fit } from '../../src/model/fit.ts';
import { impute } from '../../src/model/impute.ts';
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

  it('leaves units to learn with, also in small tables', async () => {
    for (const [n, V, H] of [
      [500, 8, 2],
      [300, 20, 4],
    ]) {
      const { shown, hidden } = hideEntries(lowRankRows(n, V, 3), 0.15, 9);
      const chosen = await fit(shown, { H, ridge: 'auto', validation: 0.1, engine });
      const filled = await impute(chosen, shown, { engine });
      const rates = await impute(chosen, shown, { engine, shrink: 1e12 });
      expect(entryNats(hidden, filled.values)).toBeLessThan(0.97 * entryNats(hidden, rates.values));
    }
  });

  it('is the default one where there was no time to compare', async () => {
    const rows = lowRankRows(200, 20, 3);
    const options = { H: 2, validation: 0.1, engine, timeBudget: 1e-6 };
    const [auto, plain] = [await fit(rows, { ...options, ridge: 'auto' }), await fit(rows, options)];
    expect(auto.training.ridge).toBe(plain.training.ridge);
  });
});

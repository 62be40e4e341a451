import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Engine, WIDE } from '../../../src/engine/engine.ts';
import { createEngine } from '../../../src/engine/node/index.ts';
import { fit } from '../../../src/model/fit.ts';
import { memorySource } from '../../../src/rows/memory.ts';
import { type Rows, rowBytes } from '../../../src/rows/rows.ts';
import { resolveSettings } from '../../../src/training/settings.ts';

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ threads: 1 });
});
afterAll(() => engine.close());

/** A wide and sparse table: rows of two kinds that share few ones. */
function wideRows(n: number, V: number): Rows {
  const bits = new Uint8Array(n * rowBytes(V));
  let state = 7;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < 60; k++) {
      const v = Math.floor(((random() < 0.9 ? i % 2 : random()) + random() * random()) * 0.5 * V);
      bits[i * rowBytes(V) + (v >> 3)] |= 1 << (v & 7);
    }
  }
  return { kind: 'bits', n, V, bits };
}

describe('rounds of a wide table', () => {
  const rows = wideRows(60, WIDE + 5);

  it('do most of the learning, are proven, and give the same model each time', async () => {
    const model = await fit(rows, { H: 2, engine });
    const { loss, history, weightGap, slackGap, epochs } = model.training;
    expect(epochs).toBeLessThanOrEqual(20);
    expect(loss).toBeLessThan(0.95 * history.at(-1)!.loss);
    expect(weightGap).toBeLessThan(0.05);
    expect(slackGap).toBeGreaterThan(0);
    expect((await fit(memorySource(rows), { H: 2, engine })).W).toEqual(model.W);
  });

  it('replace epochs where all rows are at hand, and only there', () => {
    const shape = { n: 20_000, V: 50_000 };
    expect(resolveSettings({ H: 16 }, shape).epochs).toBe(1);
    expect(resolveSettings({ H: 16 }, { ...shape, streamed: true }).epochs).toBe(100);
    expect(resolveSettings({ H: 16 }, { n: 20_000, V: 5000 }).epochs).toBe(10);
    expect(resolveSettings({ H: 64 }, { n: 20_000, V: 5000 }).epochs).toBe(25);
  });
});

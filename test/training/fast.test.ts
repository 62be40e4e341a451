import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Engine, WIDE } from '../../src/engine/engine.ts';
import { createEngine } from '../../src/engine/node/index.ts';
import { memorySource } from '../../src/rows/memory.ts';
import { residentData, streamedData } from '../../src/training/data.ts';
import { FastTrainer } from '../../src/training/fast.ts';
import { resolveSettings } from '../../src/training/settings.ts';

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ threads: 1 });
});
afterAll(() => engine.close());

/** The loss that the second epoch sees, where the codes of the first are multiplied in between. */
async function secondLoss(V: number, factor: number): Promise<number> {
  const n = 64;
  const bits = Uint8Array.from({ length: (n * V) / 8 }, (_, i) => ((i * 7919) % 251 < 20 ? 1 << (i % 8) : 0));
  const data = residentData(engine, { kind: 'bits', n, V, bits }, 1);
  const settings = resolveSettings({ H: 3, epochs: 2, batch: 16 }, { n, V });
  const W = Float32Array.from({ length: 4 * V }, (_, i) => Math.sin(i * i));
  const trainer = new FastTrainer(engine, data, settings, W);
  const schedule = { share: (passes: number) => passes / 2 };
  const pass = async () => {
    for await (const _ of trainer.visits(schedule));
  };
  try {
    await pass();
    trainer.nextEpoch();
    const codes = await trainer.E.read();
    trainer.E.write(codes.map((e, i) => (i % 4 < 3 ? factor * e : e)));
    await pass();
    return await trainer.visitedLoss();
  } finally {
    trainer.free();
    data.close();
  }
}

it('begins codes of wide tables anew in each epoch, however far those of the last one have gone astray', async () => {
  expect(await secondLoss(WIDE, 1000)).toBe(await secondLoss(WIDE, 1));
});

it('goes on from the codes of the last epoch in other tables', async () => {
  expect(await secondLoss(256, 1000)).toBeGreaterThan(await secondLoss(256, 1));
});

it('knows how far codes reach that are not kept, also where a short block comes last', async () => {
  const [n, V] = [70, 256];
  const bits = Uint8Array.from({ length: (n * V) / 8 }, (_, i) => ((i * 7919) % 251 < 80 ? 1 << (i % 8) : 0));
  const rows = { kind: 'bits', n, V, bits } as const;
  const data = streamedData(engine, memorySource(rows), 64);
  const settings = resolveSettings({ H: 3, epochs: 1, batch: 16, ridge: 1e-6, codes: 'recompute' }, { n, V });
  // Weights as small as these need long codes.
  const W = Float32Array.from({ length: 4 * V }, (_, i) => 0.02 * Math.sin(i * i));
  const trainer = new FastTrainer(engine, data, settings, W);
  let longest = 0;
  for await (const _ of trainer.visits({ share: () => 1 })) {
    const codes = await trainer.E.read();
    longest = codes.reduce((most, e, i) => (i % 4 < 3 ? Math.max(most, Math.abs(e)) : most), longest);
  }
  const reach = await trainer.reach();
  expect(longest).toBeGreaterThan(20);
  expect(Math.max(...reach)).toBeGreaterThan(0.9 * longest);
  expect(Math.min(...reach)).toBeGreaterThanOrEqual(6);
  trainer.free();
  data.close();
});

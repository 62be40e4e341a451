import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Engine, floatsOf, WIDE } from '../../src/engine/engine.ts';
import { createEngine } from '../../src/engine/node/index.ts';
import { crossEntropy, hamming } from '../../src/math.ts';
import { fit } from '../../src/model/fit.ts';
import type { PCAE } from '../../src/model/model.ts';
import { memorySource } from '../../src/rows/memory.ts';
import { residentData, streamedData } from '../../src/training/data.ts';
import { FastTrainer } from '../../src/training/fast.ts';
import { proveLearned } from '../../src/training/refine/refine.ts';
import { refineSeconds, settleSeconds } from '../../src/training/seconds.ts';
import { resolveSettings } from '../../src/training/settings.ts';
import { type ReportEnding, settle } from '../../src/training/settle.ts';
import { toyRows } from './toy.ts';

const rows = toyRows(1200);
let engine: Engine;
let model: PCAE;
beforeAll(async () => {
  engine = await createEngine({ threads: 1 });
  model = await fit(rows, { H: 4, epochs: 5, certify: false, engine });
});
afterAll(() => engine.close());

/** Settles the model's codes anew, from nothing. */
async function settled(left?: () => number, report?: ReportEnding) {
  const { V, H, bias, curvature, radius, reconstructionLoss: loss } = model;
  const data = residentData(engine, rows, 1);
  const [W, E] = [engine.floats(model.W.length), engine.floats(rows.n * (H + 1))];
  W.write(model.W);
  const learnt = { shape: { V, H, bias }, W, E, curvature: Float64Array.from(curvature) };
  const options = { loss, radius, keepCodes: true, certify: true, warm: false, left, report };
  const found = await settle(engine, data, learnt, options);
  const seconds = await settleSeconds(engine, data, learnt, options);
  data.close();
  return { ...found, seconds };
}

describe('settling codes where time is limited', () => {
  it('is the same where there is enough of it, but for the proof of the slack', async () => {
    const { seconds: _, ...all } = await settled();
    const { seconds: __, ...inTime } = await settled(() => 1e9);
    expect(inTime).toEqual({ ...all, slackGap: undefined });
    expect(all.meanGap).toBeLessThan(0.01);
  });

  it('proves what it can and brings the other codes close, with gaps that say so', async () => {
    const all = await settled();
    const none = await settled(() => -1);
    expect(Math.abs(none.loss / all.loss - 1)).toBeLessThan(1e-3);
    expect(none.meanGap).toBeGreaterThan(all.meanGap);
    let looks = 0;
    const some = await settled(() => (looks++ < 1 ? 1e9 : -1));
    expect(some.meanGap).toBeLessThan(none.meanGap);
    expect(some.meanGap).toBeGreaterThan(all.meanGap);
    const same = (i: number) =>
      some.codes?.slice(i * 4, (i + 1) * 4).join() === all.codes?.slice(i * 4, (i + 1) * 4).join();
    const proven = Array.from({ length: rows.n }, (_, i) => i).filter(same).length;
    expect(proven).toBeGreaterThanOrEqual(512);
    expect(proven).toBeLessThan(1200);
  });

  it('tells how far it has come, from the first row on and never less than before', async () => {
    for (const time of [1e9, -1]) {
      const told: number[] = [];
      await settled(
        () => time,
        (_, fraction) => told.push(fraction),
      );
      expect(told).toEqual([0, 512 / 1200, 1024 / 1200, 1]);
    }
  });

  it('is told beforehand about how long it takes', async () => {
    expect((await settled()).seconds).toBeGreaterThan(0);
  });
});

describe('settling codes of a wide table', () => {
  it('tells more often how far it has come, because each row takes longer', async () => {
    const [n, V] = [600, 8 * WIDE];
    const bits = Uint8Array.from({ length: (n * V) / 8 }, (_, k) => Math.imul(k, 2654435761) >>> 24);
    const data = residentData(engine, { kind: 'bits', n, V, bits }, 1);
    const W = floatsOf(
      engine,
      Float32Array.from({ length: 2 * V }, (_, k) => 0.1 * Math.sin(k)),
    );
    const learnt = { shape: { V, H: 1, bias: true }, W, E: engine.floats(2 * n) };
    const curvature = new Float64Array(V).fill(0.25);
    const told: number[] = [];
    await settle(
      engine,
      data,
      { ...learnt, curvature },
      {
        loss: crossEntropy,
        radius: 1,
        keepCodes: false,
        certify: false,
        warm: true,
        report: (_, fraction) => told.push(fraction),
      },
    );
    data.close();
    for (const floats of [W, learnt.E]) floats.free();
    expect(told).toEqual([0, 512 / 600, 1]);
  });
});

describe('the proof of weights', () => {
  it('is made for a source of a single block as well', async () => {
    const settings = resolveSettings({ H: 4, encoding: 'ball' }, { n: rows.n, V: rows.V });
    const data = streamedData(engine, memorySource(rows), 2 * rows.n);
    const trainer = new FastTrainer(engine, data, settings, model.W);
    expect(await proveLearned(engine, data, trainer, settings)).toBeGreaterThanOrEqual(0);
    trainer.free();
    data.close();
  });
});

describe('the proof of weights where time is limited', () => {
  it('is left out where there is less time than its steps take, kinked losses included', async () => {
    for (const loss of [hamming, model.reconstructionLoss]) {
      const settings = { ...resolveSettings({ H: 4, loss, encoding: 'simplex' }, { n: rows.n, V: rows.V }) };
      const data = residentData(engine, rows, 1);
      const trainer = new FastTrainer(engine, data, settings, model.W);
      const seconds = await refineSeconds(engine, data, trainer, settings);
      expect(seconds).toBeGreaterThan(0);
      const renew = async () => undefined;
      const prove = (seconds: () => number) =>
        proveLearned(engine, data, trainer, { ...settings, left: Object.assign(seconds, { renew }) });
      expect(await prove(() => 1e-6)).toBeUndefined();
      expect(await prove(() => 1e6)).toBeGreaterThanOrEqual(0);
      trainer.free();
      data.close();
    }
  });
});

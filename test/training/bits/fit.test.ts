import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../../src/engine/engine.ts';
import { createEngine } from '../../../src/engine/node/index.ts';
import { fit } from '../../../src/model/fit.ts';
import { load } from '../../../src/model/load.ts';
import { PCAE } from '../../../src/model/model.ts';
import { gaussians } from '../../../src/solvers/gaussians.ts';
import { BitPhases } from '../../../src/training/bits/phases.ts';
import { ridgeFromWeights } from '../../../src/training/bits/ridge.ts';
import { Starts } from '../../../src/training/bits/starts.ts';
import { BitsTrainer } from '../../../src/training/bits/trainer.ts';
import type { Checkpoint } from '../../../src/training/checkpoint/checkpoint.ts';
import { Run } from '../../../src/training/loop/run.ts';
import { resolveSettings } from '../../../src/training/settings.ts';
import { baseRateLoss, toyRows } from '../toy.ts';

const rows = toyRows(600);
const test = toyRows(200, 9);
const options = { H: 8, encoding: 'bits', epochs: 16 } as const;

let engine: Engine;
let other: Engine;
let model: PCAE;
beforeAll(async () => {
  engine = await createEngine({ threads: 1 });
  other = await createEngine({ threads: 2 });
  model = await fit(rows, { ...options, engine });
});
afterAll(() => Promise.all([engine.close(), other.close()]));

describe("encoding 'bits'", () => {
  it('learns bits that tell much of the rows', async () => {
    const { loss } = await model.evaluate(test, { engine });
    expect(loss).toBeLessThan(0.8 * baseRateLoss(rows));
    expect(model.training.loss).toBeLessThan(0.75 * baseRateLoss(rows));
    for (const e of model.trainingCodes ?? []) expect(Math.abs(e)).toBe(1);
    expect(model.trainingCodes).toHaveLength(600 * 8);
  });

  it('keeps codes whose mean loss is the training loss, and the correlations that make it the bound', async () => {
    const decoded = await model.decode(model.trainingCodes ?? new Float32Array(), { engine });
    let loss = 0;
    for (let i = 0; i < rows.n; i++) {
      for (let v = 0; v < rows.V; v++) {
        const x = (rows.bits[i * 25 + (v >> 3)] >> (v & 7)) & 1 ? 1 : -1;
        loss -= Math.log(0.5 * (1 + x * decoded[i * rows.V + v])) / rows.n;
      }
    }
    expect(loss).toBeCloseTo(model.training.loss, 2);
    expect(model.guarantee().bound).toBeCloseTo(loss, 2);
  });

  it('gives the same model for a seed on any number of threads', async () => {
    const again = await fit(rows, { ...options, engine: other });
    expect(again.W).toEqual(model.W);
    expect(again.trainingCodes).toEqual(model.trainingCodes);
    const different = await fit(rows, { ...options, epochs: 4, seed: 2, engine });
    expect(different.W).not.toEqual(model.W);
  });

  it('survives its file', async () => {
    const loaded = load(model.save(), { as: PCAE });
    expect(loaded.encoding).toBe('bits');
    const [before, after] = await Promise.all([
      model.encode(test, { engine, effort: 'fast' }),
      loaded.encode(test, { engine, effort: 'fast' }),
    ]);
    expect(after).toEqual(before);
  });

  it('never raises its objective in a round', async () => {
    const settings = resolveSettings({ H: 8, encoding: 'bits', ridge: 1e-3 }, rows);
    const block = engine.load(rows);
    const phases = new BitPhases(engine, block, settings, true);
    phases.E.write(gaussians(rows.n * 9, 3).map((g, i) => (i % 9 === 8 || g > 0 ? 1 : -1)));
    await phases.decide();
    const objective = async () =>
      (await phases.meanLoss()) +
      0.5e-3 * (await phases.W.read()).reduce((sum, w, i) => sum + (i % 9 === 8 ? 0 : w * w), 0);
    let before = await objective();
    const first = before;
    for (let round = 0; round < 6; round++) {
      for await (const count of phases.searchRound()) expect(count).toBeGreaterThan(0);
      const searched = await objective();
      expect(searched).toBeLessThanOrEqual(before + 1e-5 * before);
      expect(await phases.endEpoch()).toBeGreaterThan(0);
      before = await objective();
      expect(before).toBeLessThanOrEqual(searched + 1e-5 * searched);
    }
    expect(before).toBeLessThan(0.8 * first);
    phases.free();
    block.free();
  });

  it('chooses its ridge on validation rows', async () => {
    const chosen = await fit(rows, { ...options, epochs: 8, ridge: 'auto', validation: 0.2, engine });
    const n = 480;
    expect([0.5, 1.5, 4, 12, 30].map((strength) => strength / n)).toContain(chosen.training.ridge);
    expect(chosen.training.history.at(-1)?.validation).toBeGreaterThan(0);
    await expect(fit(rows, { ...options, ridge: 'auto', engine })).rejects.toThrow(/needs validation rows/);
  });

  it('takes its ridge from the weights of the relaxation unless it is told one', async () => {
    const phases = new BitPhases(
      engine,
      engine.load(rows),
      resolveSettings({ H: 8, encoding: 'bits' }, rows),
      true,
    );
    // Weights of 0.5 have the variance 1/4; the bias, here 3, does not count.
    phases.W.write(Float32Array.from({ length: rows.V * 9 }, (_, i) => (i % 9 === 8 ? 3 : 0.5)));
    expect(await ridgeFromWeights(phases)).toBeCloseTo(4 / rows.n, 12);
    phases.W.write(new Float32Array(rows.V * 9));
    expect(await ridgeFromWeights(phases)).toBeCloseTo(100 / rows.n, 12);
    phases.free();
    const variance = 1 / (model.training.ridge * rows.n);
    const squares = model.W.reduce((sum, w, i) => sum + (i % 9 === 8 ? 0 : w * w), 0) / (rows.V * 8);
    expect(variance).toBeGreaterThan(squares / 4);
    expect(variance).toBeLessThan(squares * 4);
    const told = await fit(rows, { ...options, epochs: 4, ridge: 0.01, engine });
    expect(told.training.ridge).toBe(0.01);
  });

  it('relaxes from several starts and goes on from the one whose bits are best', async () => {
    const settings = resolveSettings({ H: 8, encoding: 'bits', epochs: 24, ridge: 1e-3 }, rows);
    const block = engine.load(rows);
    const phases = new BitPhases(engine, block, settings, true);
    const starts = new Starts(engine, rows, block, settings);
    const relaxedLoss: number[] = [];
    for (let k = 0; k < 4; k++) {
      await starts.begin(phases, k);
      for (let pass = 0; pass < 4; pass++) {
        for await (const _ of phases.relaxEpoch(() => (pass + phases.share) / 4));
        await phases.endEpoch();
      }
      await phases.decide();
      relaxedLoss.push(await phases.meanLoss());
    }
    expect(new Set(relaxedLoss).size).toBe(4);
    const fresh = new BitPhases(engine, block, settings, true);
    await starts.begin(fresh, 0);
    const run = new Run(engine, settings, {});
    const trainer = new BitsTrainer(fresh, settings, run, { plan: { starts: 4, relaxed: 4 }, starts });
    let decided: number | undefined;
    for (let pass = 0; pass < 17; pass++) {
      await trainer.begin();
      // The first round is about to begin: W is as the relaxation left it.
      if (!fresh.relaxing) decided ??= await fresh.meanLoss();
      for await (const _ of trainer.visits());
      await trainer.endEpoch();
    }
    expect(decided).toBeLessThanOrEqual(Math.min(...relaxedLoss) * (1 + 1e-6));
    expect(decided).toBeGreaterThan(0.8 * Math.min(...relaxedLoss));
    for (const each of [phases, fresh, starts, block]) each.free();
  });

  it('rejects when told to stop, or gives a model that works where a partial one is asked for', async () => {
    const stopped = (partial: boolean) => {
      const stop = new AbortController();
      let visits = 0;
      const save = async () => {
        if (++visits === 20) stop.abort();
      };
      const checkpoint = { every: 0, save };
      return fit(rows, { ...options, partial, checkpoint, signal: stop.signal, engine });
    };
    await expect(stopped(false)).rejects.toMatchObject({ name: 'AbortError' });
    const { training } = await stopped(true);
    expect(training.stopped).toBe('aborted');
    expect(training.loss).toBeLessThan(baseRateLoss(rows));
  });

  it('goes on from any checkpoint to the same model, bit for bit', async () => {
    const learned = { ...options, epochs: 17, validation: test, engine };
    const whole = await fit(rows, learned);
    const saved: Checkpoint[] = [];
    const checkpoint = {
      every: 1e-9,
      save: async (taken: Checkpoint) => void saved.push(structuredClone(taken)),
    };
    await fit(rows, { ...learned, checkpoint });
    const epochs = new Set(saved.map(({ progress }) => progress.epoch));
    // Those of each epoch, and of the end.
    expect(epochs.size).toBe(18);
    // Some of them, and those where a start had only to be ended.
    const ends = saved.filter(({ progress }, k) => progress.epoch < (saved[k + 1]?.progress.epoch ?? 0));
    const tried = [
      ...saved.filter((_, k) => k % Math.ceil(saved.length / 4) === 1),
      ...ends.filter(({ progress }) => [4, 9].includes(progress.epoch)),
      ...saved.slice(-1),
    ];
    for (const resume of tried) {
      const resumed = await fit(rows, { ...learned, resume });
      expect(resumed.W).toEqual(whole.W);
      expect(resumed.B).toEqual(whole.B);
      expect(resumed.trainingCodes).toEqual(whole.trainingCodes);
      expect(resumed.training.history.map(({ loss }) => loss)).toEqual(
        whole.training.history.map(({ loss }) => loss),
      );
    }
    const other = fit(rows, { ...learned, ridge: 1, resume: saved[0] });
    await expect(other).rejects.toThrow(/belongs to another run/);
  });

  it('does not lose the weights it is told to start from while it chooses a ridge', async () => {
    const start = Float32Array.from(model.W);
    const told = { ...options, epochs: 2, start, validation: test, engine };
    const auto = await fit(rows, { ...told, ridge: 'auto' });
    const known = await fit(rows, { ...told, ridge: auto.training.ridge });
    expect(auto.training.loss).toBeLessThan(known.training.loss * 1.02);
    await expect(fit(rows, { ...told, start: start.subarray(0, 10) })).rejects.toThrow(/196 x 9 weights.*10/);
  });

  it('takes an unset rate for the default', async () => {
    let rate: number | undefined;
    await fit(rows, {
      ...{ ...options, epochs: 2, engine, rate: undefined },
      onProgress: (progress) => {
        if (progress.phase === 'learn') rate ??= progress.rate;
      },
    });
    expect(rate).toBeGreaterThan(0);
    expect(rate).toBeLessThan(0.11 / Math.sqrt(8));
  });

  it('leaves no checkpoint of half a choice of ridge: it would not go on to the same model', async () => {
    const controller = new AbortController();
    const saved: Checkpoint[] = [];
    const run = fit(rows, {
      ...{ ...options, epochs: 8, ridge: 'auto', validation: test, engine, signal: controller.signal },
      checkpoint: { every: 1e9, save: async (checkpoint) => void saved.push(checkpoint) },
      onProgress: ({ phase }) => phase === 'ridge' && controller.abort(),
    });
    await expect(run).rejects.toMatchObject({ name: 'AbortError' });
    expect(saved).toHaveLength(0);
  });

  it('says at once that rows are too many to keep', async () => {
    const source = {
      ...{ n: 1e9, V: 200 },
      chunks: () => {
        throw new Error('was read');
      },
    };
    await expect(fit(source, { ...options, engine })).rejects.toThrow(
      /at most 10000000 rows, got 1000000000/,
    );
    const wide = { ...source, n: 1e7 };
    await expect(fit(wide, { ...options, H: 60, engine })).rejects.toThrow(
      /10000000 rows of 200 columns.*GiB/,
    );
  });

  it('says what it does not do', async () => {
    const cases = [
      [{ bias: false }, /bias unit/],
      [{ l1: 0.1 }, /L1/],
      [{ codes: 'recompute' }, /all kept while they are learned/],
      [{ algorithm: 'paper' }, /paper's procedure/],
    ] as const;
    for (const [more, message] of cases) {
      await expect(fit(rows, { ...options, ...more, engine })).rejects.toThrow(message);
    }
  });
});

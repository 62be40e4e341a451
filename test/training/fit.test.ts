import { afterAll, describe, expect, it } from 'vitest';
import { createEngine } from '../../src/engine/node/index.ts';
import { fit } from '../../src/model/fit.ts';
import { memorySource } from '../../src/rows/memory.ts';
import type { Checkpoint } from '../../src/training/checkpoint/checkpoint.ts';
import type { FitOptions } from '../../src/training/options.ts';
import { stoppedAfter } from './stopped.ts';
import { baseRateLoss, toyRows } from './toy.ts';

const rows = toyRows(600);
const engine = await createEngine({ threads: 1 });
afterAll(() => engine.close());

const quick = { H: 6, epochs: 8 } as const;

describe('fit', () => {
  it('learns far more than base rates, and says how it went', async () => {
    const model = await fit(rows, { ...quick, engine });
    expect(model.training.loss).toBeLessThan(0.75 * baseRateLoss(rows));
    expect(model.training.stopped).toBe('epochs');
    expect(model.training.history).toHaveLength(8);
    const [first, last] = [model.training.history[0], model.training.history[7]];
    expect(last.loss).toBeLessThan(first.loss);
    expect(last.slack).toBeGreaterThan(0);
    expect(last.meanGap).toBeGreaterThanOrEqual(0);
    expect(last.rate).toBeLessThan(first.rate);
  });

  it('has no gap below 0 on its way, also where codes lie far out', async () => {
    // Rows that are all alike but for one: its code is many deviations from the others.
    const data = Uint8Array.from({ length: 200 * 20 }, (_, k) => (k < 20 ? 1 : 0));
    const lonely = { data, n: 200, V: 20 };
    for (const some of [rows, lonely]) {
      const { history } = (await fit(some, { H: 2, encoding: 'real', engine })).training;
      const gaps = history.flatMap(({ meanGap }) => meanGap ?? []);
      expect(gaps.length).toBeGreaterThan(0);
      for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(-1e-6);
    }
  });

  it('gives the same model for a seed with any number of threads, and another for another seed', async () => {
    const two = await createEngine({ threads: 2 });
    const [a, b, c] = [
      await fit(rows, { ...quick, engine }),
      await fit(rows, { ...quick, engine: two }),
      await fit(rows, { ...quick, seed: 2, engine }),
    ];
    await two.close();
    expect(b.W).toEqual(a.W);
    expect(b.B).toEqual(a.B);
    expect(b.trainingCodes).toEqual(a.trainingCodes);
    expect(c.W).not.toEqual(a.W);
  });

  it('keeps box codes inside the box, at the loss of the real codes they were scaled from', async () => {
    const box = await fit(rows, { ...quick, engine });
    const real = await fit(rows, { ...quick, encoding: 'real', engine });
    const largest = Math.max(...box.trainingCodes!.map(Math.abs));
    expect(largest).toBeLessThanOrEqual(1);
    expect(Math.max(...real.trainingCodes!.map(Math.abs))).toBeGreaterThan(1);
    expect(Math.abs(box.training.loss - real.training.loss)).toBeLessThan(0.05);
  });

  it('orders units by strength', async () => {
    const { W, H, V } = await fit(rows, { ...quick, encoding: 'real', engine });
    const strength = Array.from({ length: H }, (_, h) => {
      let sum = 0;
      for (let v = 0; v < V; v++) sum += W[v * (H + 1) + h] ** 2;
      return sum;
    });
    expect(strength).toEqual([...strength].sort((a, b) => b - a));
  });

  it('works without a bias unit, and with one codes need not spend themselves on base rates', async () => {
    const without = await fit(rows, { ...quick, bias: false, engine });
    const withBias = await fit(rows, { ...quick, engine });
    expect(without.W).toHaveLength(rows.V * 6);
    expect(without.training.loss).toBeLessThan(baseRateLoss(rows));
    expect(withBias.training.loss).toBeLessThan(without.training.loss);
  });

  it('makes exact zeros with an L1 penalty and smaller weights with a larger ridge', async () => {
    const sparse = await fit(rows, { ...quick, l1: 0.02, engine });
    const zeros = sparse.W.filter((w) => w === 0).length / sparse.W.length;
    expect(zeros).toBeGreaterThan(0.1);
    const size = async (ridge: number) => {
      const model = await fit(rows, { ...quick, ridge, encoding: 'real', engine });
      return model.W.reduce((sum, w, i) => (i % 7 === 6 ? sum : sum + w * w), 0);
    };
    expect(await size(0.1)).toBeLessThan(await size(1e-4));
  });

  it('learns the same with a time budget that is not used up', async () => {
    const free = await fit(rows, { ...quick, engine });
    const timed = await fit(rows, { ...quick, timeBudget: 3600, engine });
    expect(timed.training.stopped).toBe('epochs');
    expect(timed.W).toEqual(free.W);
  });

  it('stops by time, by too small an improvement and by abort', async () => {
    const timed = await fit(rows, { H: 4, timeBudget: 0.3, engine });
    expect(timed.training.stopped).toBe('time');
    const tolerant = await fit(rows, { H: 4, epochs: 200, minImprovement: 0.05, engine });
    expect(tolerant.training.stopped).toBe('converged');
    expect(tolerant.training.converged).toBe(true);
    const stop = new AbortController();
    const aborted = fit(rows, {
      ...{ H: 4, epochs: 200, engine, signal: stop.signal },
      onProgress: ({ phase }) => phase === 'learn' && stop.abort(),
    });
    await expect(aborted).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('keeps the weights that did best on validation rows, and chooses a ridge on them', async () => {
    const small = toyRows(80);
    const model = await fit(small, { H: 20, epochs: 60, ridge: 'auto', validation: 0.25, engine });
    const measured = model.training.history.flatMap((entry) => entry.validation ?? []);
    expect(measured.length).toBeGreaterThan(3);
    expect(model.training.ridge).toBeGreaterThan(0);
    expect(model.training.n).toBe(60);
    await expect(fit(small, { H: 2, ridge: 'auto', engine })).rejects.toThrow(/validation/);
  });

  it('resumes from a checkpoint to the same model, bit for bit', async () => {
    const straight = await fit(rows, { ...quick, engine });
    // In the middle of an epoch, which is where it is hardest.
    const resume = await stoppedAfter(25, rows, { ...quick, engine });
    expect(resume.progress.state).toMatchObject({ batch: expect.toSatisfy((batch) => batch > 0) });
    const resumed = await fit(rows, { ...quick, engine, resume });
    expect(resumed.W).toEqual(straight.W);
    expect(resumed.trainingCodes).toEqual(straight.trainingCodes);
    await expect(fit(rows, { ...quick, seed: 3, engine, resume })).rejects.toThrow(/another run/);
  });

  it('resumes with the very settings and inputs of before only', async () => {
    const n = rows.n;
    const given = {
      ...{ ...quick, engine, ridge: 0.5, start: new Float32Array(rows.V * 7).fill(0.1) },
      ...{ rowWeights: new Float32Array(n).fill(1).fill(2, 0, 9), validation: toyRows(30, 3) },
      columnWeights: new Float32Array(rows.V).fill(1).fill(2, 0, 9),
    };
    const resume = await stoppedAfter(3, rows, given);
    const others = [
      { ridge: 0.001 },
      { ridge: undefined },
      { start: given.start.with(5, 0.2) },
      { start: undefined },
      { rowWeights: given.rowWeights.with(100, 2) },
      { columnWeights: given.columnWeights.with(100, 1.001) },
      { columnWeights: undefined },
      { validation: toyRows(30, 4) },
      { validation: undefined },
    ];
    for (const other of others) {
      await expect(fit(rows, { ...given, ...other, resume })).rejects.toThrow(/another run/);
    }
    const resumed = await fit(rows, { ...given, resume });
    expect(resumed.training.ridge).toBe(0.5);
  });

  it('ends the choice of a ridge on request, and counts it in the time it may take', async () => {
    const small = toyRows(80);
    const options = { H: 4, ridge: 'auto', validation: 0.25, engine } as const;
    const stop = new AbortController();
    const phases: string[] = [];
    const saved: Checkpoint[] = [];
    const aborted = fit(small, {
      ...options,
      epochs: 5,
      signal: stop.signal,
      checkpoint: { every: 1e9, save: async (checkpoint) => void saved.push(checkpoint) },
      onProgress: ({ phase }) => {
        phases.push(phase);
        if (phase === 'ridge') stop.abort();
      },
    });
    await expect(aborted).rejects.toMatchObject({ name: 'AbortError' });
    expect(phases.filter((phase) => phase === 'ridge')).toHaveLength(1);
    // A ridge that was chosen by half a search is nothing to go on from.
    expect(saved).toHaveLength(0);
    let tried = 0;
    const timed = await fit(small, {
      ...options,
      timeBudget: 1e-6,
      onProgress: ({ phase }) => {
        if (phase === 'ridge') tried++;
      },
    });
    expect(tried).toBe(1);
    expect(timed.training.stopped).toBe('time');
  });

  it('learns from a source in chunks, with and without keeping codes', async () => {
    const source = memorySource(rows);
    const kept = await fit(source, { ...quick, engine });
    const recomputed = await fit(source, { ...quick, codes: 'recompute', engine });
    expect(recomputed.trainingCodes).toBeUndefined();
    expect(Math.abs(recomputed.training.loss - kept.training.loss)).toBeLessThan(0.1 * kept.training.loss);
  });

  it('learns as well from many blocks as from one, and goes on in the middle of them', async () => {
    const whole = memorySource(rows);
    const blocks = { ...whole, chunks: () => whole.chunks(100) };
    const options = { ...quick, codes: 'recompute', batch: 50, engine } as const;
    const [one, many] = [await fit(whole, options), await fit(blocks, options)];
    expect(Math.abs(many.training.loss - one.training.loss)).toBeLessThan(0.05 * one.training.loss);
    // The loss and B are means over the rows of all blocks.
    expect(many.training.loss).toBeCloseTo(await many.loss(rows, { engine }), 4);
    expect((await many.evaluate(rows, { engine })).drift).toBeLessThan(1e-4);
    const saved: Checkpoint[] = [];
    await fit(blocks, {
      ...options,
      checkpoint: { every: 0, save: async (taken) => void saved.push(taken) },
    });
    // Every minibatch is a checkpoint; this one lies within the third of six blocks.
    const resumed = await fit(blocks, { ...options, resume: saved[12 * 3 + 4] });
    expect(resumed.W).toEqual(many.W);
  });

  it('goes on from weights', async () => {
    const model = await fit(rows, { H: 6, epochs: 6, engine });
    const next = await fit(rows, { H: 6, epochs: 4, start: model.W, engine });
    const anew = await fit(rows, { H: 6, epochs: 4, engine });
    expect(next.training.history[0].loss).toBeLessThan(anew.training.history[0].loss);
    await expect(fit(rows, { H: 5, start: model.W, engine })).rejects.toThrow(
      /start must hold V x width = 196 x 6/,
    );
  });

  it('reproduces the procedure of the paper on request', async () => {
    const model = await fit(rows, { H: 6, algorithm: 'paper', epochs: 12, engine });
    expect(model.training.algorithm).toBe('paper');
    expect(model.bias).toBe(false);
    expect(model.training.loss).toBeLessThan(baseRateLoss(rows));
  });

  it.each([
    [{ bias: true }, /no bias unit/],
    [{ ridge: 0.1 }, /algorithm 'paper' and ridge.* exclude each other/],
    [{ ridge: 'auto' as const, validation: 0.5 }, /algorithm 'paper' and ridge.* exclude each other/],
    [{ validation: 0.5 }, /exclude each other: it ends by its epochs or by time/],
    [{ validation: toyRows(20, 3) }, /exclude each other: it ends by its epochs or by time/],
    [{ minImprovement: 0.1 }, /exclude each other: it ends by its epochs or by time/],
    [{ start: new Float32Array(2 * 196) }, /starts from random weights/],
    [{ rate: 0.1 }, /algorithm 'paper' and rate exclude each other/],
    [{ codes: 'recompute' as const }, /algorithm 'paper' and codes 'recompute' exclude each other/],
  ])('refuses what the procedure of the paper does not have: case %#', async (options, message) => {
    await expect(fit(rows, { H: 2, epochs: 1, algorithm: 'paper', ...options, engine })).rejects.toThrow(
      message,
    );
  });

  it.each([
    [{ H: 0 }, /H must be a whole number of at least 1, got 0/],
    [{ H: 2.5 }, /H must be a whole number/],
    [{ H: 2, epochs: 0 }, /epochs/],
    [{ H: 2, ridge: -1 }, /ridge must be at least 0, got -1/],
    [{ H: 2, timeBudget: 0 }, /timeBudget must be more than 0/],
    [{ H: 2, validation: 1.5 }, /validation must be rows or a share/],
    [{ H: 2, seed: 0.5 }, /seed/],
    [{ H: 2, ridge: Number.POSITIVE_INFINITY }, /ridge must be finite/],
    [{ H: 2, rate: Number.POSITIVE_INFINITY }, /rate must be finite/],
    [{ H: 2, encoding: 'binary' }, /encoding must be one of box, real, .*, got binary/],
    [{ H: 2, encoding: { nearest() {}, gap() {} } }, /encoding must be one of box, .*, got an object/],
    [{ H: 2, encoding: 'bits', epochs: 2, loss: 'hamming' }, /loss must be a loss, .*, got hamming/],
    [{ H: 2, algorithm: 'papre' }, /algorithm must be one of fast, paper, paper-text, got papre/],
    [{ H: 2, codes: 'forget' }, /codes must be one of keep, recompute, got forget/],
    [{ H: 2, resume: {} }, /resume must be a checkpoint/],
    [{ encoding: 'bits' }, /H must be a whole number/],
  ])('refuses %j with a message for people', async (options, message) => {
    await expect(fit(rows, { ...options, engine } as FitOptions)).rejects.toThrow(message);
  });

  it('handles one row, constant columns and more units than columns', async () => {
    const one = await fit({ data: Uint8Array.of(1, 0, 1), n: 1, V: 3 }, { H: 2, epochs: 3, engine });
    expect(Number.isFinite(one.training.loss)).toBe(true);
    const constant = { data: new Uint8Array(40).fill(1), n: 10, V: 4 };
    const wide = await fit(constant, { H: 7, epochs: 5, engine });
    expect(wide.training.loss).toBeLessThan(1);
  });
});

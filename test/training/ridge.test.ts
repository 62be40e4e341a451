import { afterAll, describe, expect, it } from 'vitest';
import { createEngine } from '../../src/engine/node/index.ts';
import { crossEntropy } from '../../src/losses/cross-entropy.ts';
import { fit } from '../../src/model/fit.ts';
import { impute } from '../../src/model/impute.ts';
import { PCAE } from '../../src/model/model.ts';
import { hideEntries } from '../../src/rows/hide.ts';
import { asRows } from '../../src/rows/input.ts';
import { memorySource } from '../../src/rows/memory.ts';
import { baseRateLoss } from '../../src/solvers/base-rates.ts';
import { gaussians } from '../../src/solvers/gaussians.ts';
import { entryNats, lowRankRows } from '../low-rank.ts';

const engine = await createEngine({ threads: 1 });
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

  it('leaves units that outlast learning: those about to vanish do not count as if they stayed', async () => {
    // Eight answers of two kinds of people, and four that go with nothing.
    const noise = gaussians(200 * 13, 4);
    const data = Uint8Array.from({ length: 200 * 12 }, (_, k) => {
      const [i, v] = [Math.floor(k / 12), k % 12];
      const kind = noise[13 * i + 12] > 0 === (v % 2 === 0) ? 1 : -1;
      return (v < 8 ? kind : 0) + noise[13 * i + v] > 0 ? 1 : 0;
    });
    const rows = asRows({ data, n: 200, V: 12 });
    for (const seed of [1, 2, 3]) {
      const model = await fit(rows, { H: 2, ridge: 'auto', validation: 0.25, seed, engine });
      const { entryLoss, entryLossAtBaseRates } = await model.chooseShrink(rows, { engine });
      expect(entryLoss, `seed ${seed}`).toBeLessThan(0.85 * entryLossAtBaseRates);
    }
  });

  it('is judged by categories that are hidden as a whole: one column must not give the others away', async () => {
    // Four answers of three values each, all drawn at random: there is nothing to learn.
    const answers = Array.from(gaussians(300 * 4, 5), (g) => Math.abs(Math.floor(1e4 * g)) % 3);
    const data = Uint8Array.from({ length: 300 * 12 }, (_, k) =>
      answers[Math.floor(k / 3)] === k % 3 ? 1 : 0,
    );
    const rows = asRows({ data, n: 300, V: 12 });
    const groups = [0, 3, 6, 9].map((first) => ({ name: `q${first}`, first, values: ['a', 'b', 'c'] }));
    const options = { H: 6, ridge: 'auto', validation: 0.2, engine } as const;
    const asked = await fit(memorySource(rows, { groups }), options);
    const leaky = await fit(memorySource(rows), options);
    expect(asked.training.ridge).toBeGreaterThan(leaky.training.ridge);
    const { entryLoss, entryLossAtBaseRates } = await leaky.chooseShrink(rows, { engine });
    expect(entryLoss).toBeLessThan(0.8 * entryLossAtBaseRates);
    const honest = await new PCAE({ ...leaky, groups }).chooseShrink(rows, { engine });
    expect(honest.entryLoss).toBeGreaterThan(0.9 * honest.entryLossAtBaseRates);
  });

  it('is the default one where there was no time to compare', async () => {
    const rows = lowRankRows(200, 20, 3);
    const options = { H: 2, validation: 0.1, engine, timeBudget: 1e-6 };
    const [auto, plain] = [await fit(rows, { ...options, ridge: 'auto' }), await fit(rows, options)];
    expect(auto.training.ridge).toBe(plain.training.ridge);
  });
});

describe('a ridge that is too strong', () => {
  it('leaves base rates and units that are off, never numbers that are not finite', async () => {
    const { shown } = hideEntries(lowRankRows(400, 7, 3), 0.1, 9);
    const rates = baseRateLoss({ rows: shown }, { rows: shown }, crossEntropy) / shown.n;
    const kinds = [
      { encoding: 'box' },
      { encoding: 'real' },
      { encoding: 'real', bias: false },
      { encoding: 'ball' },
      { encoding: 'nonnegative' },
      { codes: 'recompute' },
      { chosen: Uint8Array.from({ length: 14 }, (_, k) => (k % 3 === 0 ? 0 : 1)) },
    ] as const;
    for (const kind of kinds) {
      for (const ridge of [0.95, 1.1, 30]) {
        const { training, W, ...model } = await fit(shown, { H: 2, ridge, epochs: 200, engine, ...kind });
        const about = JSON.stringify({ kind, ridge });
        expect(W.every(Number.isFinite), about).toBe(true);
        expect(training.loss, about).toBeLessThan('bias' in kind ? 7 * Math.LN2 + 0.01 : rates + 0.05);
        expect(training.meanGap, about).toBeLessThanOrEqual(0.01);
        for (const numbers of [model.B, model.curvature, model.trainingCodes ?? []]) {
          expect(Array.from(numbers).every(Number.isFinite), about).toBe(true);
        }
        // Units are off to the last bit, and so are their codes.
        if (ridge === 30 && !['ball', 'nonnegative'].includes(model.encoding)) {
          const width = W.length / 7;
          expect(
            W.every((w, k) => k % width >= 2 || w === 0),
            about,
          ).toBe(true);
        }
      }
    }
  });

  it('is no trouble for encoding either: weights as small as float32 has them', async () => {
    const rows = lowRankRows(20, 7, 3);
    const model = await fit(rows, { H: 1, epochs: 2, engine });
    for (const size of [1e-18, 1e-22, 1e-40]) {
      const faint = new PCAE({ ...model, W: model.W.map((w, k) => (k % 2 === 0 ? size * Math.sign(w) : w)) });
      const { codes, gaps, losses } = await faint.encode(rows, { engine });
      for (const numbers of [codes, gaps, losses]) expect(numbers.every(Number.isFinite)).toBe(true);
    }
  });
});

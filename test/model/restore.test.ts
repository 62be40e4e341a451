import { describe, expect, it } from 'vitest';
import { createWasmEngine } from '../../src/engine/wasm/engine.ts';
import { squared } from '../../src/losses/squared.ts';
import { fitDecoder } from '../../src/model/decoder.ts';
import { fit } from '../../src/model/fit.ts';
import { load } from '../../src/model/load.ts';
import { PCAE } from '../../src/model/model.ts';
import { partialFit } from '../../src/model/partial-fit.ts';
import { unmask, unmaskedLoss } from '../../src/model/restore.ts';
import { corrupt } from '../../src/rows/corrupt.ts';
import { entry, sliceRows } from '../../src/rows/rows.ts';
import type { Noise } from '../../src/training/noise.ts';
import type { FitOptions } from '../../src/training/options.ts';
import { toyRows } from '../training/toy.ts';

const engine = await createWasmEngine();

describe('models of noisy rows', () => {
  const rho = 0.25;
  const all = toyRows(900, 2);
  const clean = sliceRows(all, 0, 600);
  const test = sliceRows(all, 600, 900);
  const noisy = corrupt(clean, { kind: 'mask', rho, seed: 1 });
  const noisyTest = corrupt(test, { kind: 'mask', rho, seed: 2 });
  const options = { H: 8, epochs: 30, engine };
  const lossOf = async (model: PCAE) => (await model.evaluate(noisyTest, { against: test, engine })).loss;

  it('bring back clean rows better than a model that knows nothing of the noise', async () => {
    const plain = await fit(noisy, options);
    const alone = await fit(noisy, { ...options, noise: { mask: rho } });
    const both = await fit(noisy, { ...options, noise: { clean } });
    expect(alone.W).toEqual(plain.W);
    const [uncorrected, kept, known] = [await lossOf(plain), await lossOf(alone), await lossOf(both)];
    expect(kept).toBeLessThan(uncorrected);
    expect(known).toBeLessThan(uncorrected);
    for (const model of [alone, both]) {
      const loaded = load(model.save(), { as: PCAE });
      expect(await loaded.reconstruct(noisyTest, { engine })).toEqual(
        await model.reconstruct(noisyTest, { engine }),
      );
      expect(await lossOf(loaded)).toBe(await lossOf(model));
      // W and B are those of the noisy rows: they bound the loss of these, and promise nothing of others.
      expect((await model.evaluate(noisyTest, { against: test, engine })).bound).toBe(
        Number.POSITIVE_INFINITY,
      );
      const { loss, bound } = await model.evaluate(noisyTest, { engine });
      expect(bound).toBeGreaterThanOrEqual(loss);
      expect(bound).toBeLessThan(Number.POSITIVE_INFINITY);
    }
    const other = await plain.evaluate(noisyTest, { against: test, engine });
    expect(other.bound).toBeGreaterThanOrEqual(other.loss);
  });

  it('are no surer of an entry than a cap allows', async () => {
    for (const noise of [{ mask: rho }, { clean }]) {
      const model = await fit(noisy, { ...options, noise });
      const codes = await model.transform(noisyTest, { engine });
      const sure = (values: Float32Array) => values.reduce((most, y) => Math.max(most, Math.abs(y)), 0);
      expect(sure(await model.decode(codes, { engine }))).toBeGreaterThan(0.5);
      expect(sure(await model.decode(codes, { engine, cap: 0.5 }))).toBeCloseTo(Math.tanh(0.25), 6);
    }
  });

  it('are measured on rows as they come by what W reconstructs, the loss and the wrong bits alike', async () => {
    const plain = await fit(noisy, options);
    for (const noise of [{ mask: rho }, { clean }]) {
      const model = await fit(noisy, { ...options, noise });
      expect(await model.evaluate(noisyTest, { engine })).toEqual(
        await plain.evaluate(noisyTest, { engine }),
      );
    }
  });

  it('divide the probability of a one by the share that was kept, and cost what that costs', () => {
    expect(unmask(0.2, 0)).toBeCloseTo(0.2, 12);
    expect((1 + unmask(0.2, rho)) / 2).toBeCloseTo(0.6 / 0.75, 12);
    for (const m of [-3, -0.5, 0.4, 0.9]) {
      const y = unmask(Math.tanh(m / 2), rho);
      expect(unmaskedLoss(1, m, rho)).toBeCloseTo(-Math.log((1 + y) / 2), 10);
      expect(unmaskedLoss(-1, m, rho)).toBeCloseTo(-Math.log((1 - y) / 2), 10);
    }
    expect(unmaskedLoss(-1, 50, rho)).toBeCloseTo(-Math.log(0.01), 6);
    expect(unmaskedLoss(1, -200, rho)).toBeCloseTo(200 + Math.log(0.75), 6);
  });

  it('take clean rows as a flat table too', async () => {
    const data = Float32Array.from({ length: clean.n * clean.V }, (_, k) =>
      entry(clean, Math.floor(k / clean.V), k % clean.V),
    );
    const table = { data, n: clean.n, V: clean.V };
    const [flat, packed] = [
      await fit(noisy, { ...options, epochs: 1, noise: { clean: table } }),
      await fit(noisy, { ...options, epochs: 1, noise: { clean } }),
    ];
    expect(flat.restoring).toEqual(packed.restoring);
  });

  it('count clean rows by their weights', async () => {
    const rowWeights = Uint8Array.from({ length: noisy.n }, (_, i) => [1, 0, 2][i % 3]);
    const once = await fit(noisy, { ...options, epochs: 1, rowWeights, noise: { clean } });
    const restored = await fitDecoder((await once.encode(noisy, { engine })).codes, clean, {
      ...{ engine, rowWeights, ridge: 0.01 / 400 },
    });
    expect(once.restoring).toEqual({ W: restored.W, loss: restored.loss });
  });

  it('keep the share of a mask when they learn on', async () => {
    const model = await fit(noisy, { ...options, epochs: 1, noise: { mask: rho } });
    const next = await partialFit(model, noisy, { engine });
    expect(next.restoring).toEqual({ mask: rho });
    const both = await fit(noisy, { ...options, epochs: 1, noise: { clean } });
    expect((await partialFit(both, noisy, { engine })).restoring).toBeUndefined();
  });

  it('say what they cannot do before they learn', async () => {
    const refused = async (given: Partial<FitOptions>, message: RegExp) => {
      const onProgress = () => expect.fail('learning began');
      await expect(fit(noisy, { ...options, ...given, onProgress })).rejects.toThrow(message);
    };
    await refused(
      { loss: squared, noise: { mask: rho } },
      /only the cross-entropy has scores that are probabilities/,
    );
    await refused({ noise: { clean: test } }, /300 rows/);
    await refused({ noise: { mask: 2 } }, /noise.mask must be a share from 0 to below 1, got 2/);
    await refused({ noise: {} as Noise }, /noise must be \{ clean: rows \} or \{ mask: share \}/);
    await refused({ noise: { clean }, l1: 0.1 }, /noise.clean and l1 exclude each other/);
    await refused(
      { noise: { clean }, chosen: new Uint8Array(196 * 8).fill(1, 8) },
      /noise.clean and chosen exclude each other/,
    );
    const model = await fit(noisy, { ...options, epochs: 1 });
    await expect(model.evaluate(noisyTest, { against: clean, engine })).rejects.toThrow(/600 rows/);
  });
});

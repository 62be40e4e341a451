import { afterAll, describe, expect, it } from 'vitest';
import { createEngine } from '../../src/engine/node/index.ts';
import { encode as exactCode } from '../../src/math/encode.ts';
import { matrix } from '../../src/math/matrix.ts';
import { fit } from '../../src/model/fit.ts';
import type { PCAE } from '../../src/model/model.ts';
import { hideEntries } from '../../src/rows/hide.ts';
import { entry, sliceRows } from '../../src/rows/rows.ts';
import { type Decoder, Encoder } from '../../src/solvers/encode.ts';
import { gaussians } from '../../src/solvers/gaussians.ts';
import { chooseShrink } from '../../src/solvers/shrink.ts';
import { entryNats, lowRankRows } from '../low-rank.ts';

const engine = await createEngine({ threads: 1 });
afterAll(() => engine.close());

const { shown, hidden } = hideEntries(lowRankRows(600, 40, 5), 0.15, 9);

function decoderOf({ V, H, bias, W, reconstructionLoss: loss, radius, curvature }: PCAE): Decoder {
  return { shape: { V, H, bias }, W, loss, radius, curvature };
}

async function encode(decoder: Decoder, shrink: number) {
  const encoder = await Encoder.create(engine, decoder, shrink);
  const encoded = await encoder.encode(shown, 0.01);
  encoder.free();
  return encoded;
}

describe('shrunken codes', () => {
  it('minimise the loss + (shrink/2) |e|^2, and their gaps are those of the loss alone', async () => {
    const decoder = decoderOf(await fit(shown, { H: 4, engine }));
    const [best, shrunken] = [await encode(decoder, 0), await encode(decoder, 50)];
    for (let i = 0; i < shown.n; i++) {
      const square = (codes: Float32Array) =>
        codes.subarray(4 * i, 4 * i + 4).reduce((sum, e) => sum + e * e, 0);
      expect(square(shrunken.codes)).toBeLessThanOrEqual(square(best.codes) + 1e-4);
      const objective = shrunken.losses[i] + 25 * square(shrunken.codes);
      expect(objective).toBeLessThanOrEqual(best.losses[i] + 25 * square(best.codes) + 1e-2);
      expect(shrunken.losses[i]).toBeGreaterThanOrEqual(best.losses[i] - 0.02);
      expect(shrunken.losses[i] - shrunken.gaps[i]).toBeLessThanOrEqual(best.losses[i] + 1e-3);
    }
  });
});

describe('shrunken codes of rows that say little', () => {
  it('are within 0.001 nats of the optimum that float64 finds', async () => {
    const model = await fit(shown, { H: 8, bias: false, engine });
    const { V, H, W } = model;
    const decoder = decoderOf(model);
    for (const shrink of [0.1, 3]) {
      const { codes, losses } = await encode(decoder, shrink);
      for (let i = 0; i < 40; i++) {
        const known = Array.from({ length: V }, (_, v) => v).filter((v) => !Number.isNaN(entry(shown, i, v)));
        const seen = matrix(
          known.length,
          H,
          known.flatMap((v) => Array.from(W.subarray(v * H, v * H + H))),
        );
        const x = Float64Array.from(known, (v) => entry(shown, i, v));
        // Distortions are twice the losses.
        const best = exactCode(decoder.loss, seen, x, { ridge: 2 * shrink }).value / 2;
        const square = codes.subarray(i * H, i * H + H).reduce((sum, e) => sum + e * e, 0);
        expect(losses[i] + (shrink / 2) * square).toBeLessThan(best + 1e-3);
      }
    }
  });
});

describe('chooseShrink', () => {
  it('finds codes that guess hidden entries far better, and says how well', async () => {
    const model = await fit(shown, { H: 6, engine });
    const found = await chooseShrink(engine, decoderOf(model), shown);
    const nats = async (shrink: number) => {
      const { codes } = await encode(decoderOf(model), shrink);
      return entryNats(hidden, await model.decode(codes, { engine }));
    };
    const [before, after] = [await nats(0), await nats(found.shrink)];
    expect(after).toBeLessThan(0.6 * before);
    expect(found.entryLoss).toBeLessThan(0.6 * found.entryLossUnshrunk);
    expect(Math.abs(found.entryLoss - after)).toBeLessThan(0.15);
  });

  it('says what base rates of the other rows would cost: those of the row itself would be too good', async () => {
    const data = Uint8Array.from({ length: 6 * 8 }, (_, k) => ((7 * k * k) % 11) & 1);
    const model = await fit({ data, n: 6, V: 8 }, { H: 1, epochs: 3, engine });
    const one = { data: data.slice(0, 8), n: 1, V: 8 };
    // Of a single row nothing is known but itself: each of its bits is a coin.
    expect((await model.chooseShrink(one, { engine })).entryLossAtBaseRates).toBeCloseTo(Math.LN2, 6);
    const coins = Uint8Array.from(gaussians(40 * 8, 3), (g) => (g > 0 ? 1 : 0));
    const found = await model.chooseShrink({ data: coins, n: 40, V: 8 }, { engine });
    expect(found.entryLossAtBaseRates).toBeGreaterThan(Math.LN2 - 0.02);
  });

  it('does with a single row, and is the same each time', async () => {
    const model = await fit(shown, { H: 3, engine });
    const row = sliceRows(shown, 7, 8);
    const found = await chooseShrink(engine, decoderOf(model), row);
    expect(found.shrink).toBeGreaterThan(0);
    expect(found).toEqual(await chooseShrink(engine, decoderOf(model), row));
  });

  it('goes on where the weakest strength seems worse than none, because its codes are found less exactly', async () => {
    const rows = lowRankRows(200, 12, 5);
    const model = await fit(rows, { H: 8, ridge: 0.3, epochs: 24, seed: 5, engine });
    const found = await model.chooseShrink(rows, { engine });
    expect(found.entryLoss).toBeLessThan(0.6 * found.entryLossUnshrunk);
  });

  it('goes on where weak strengths change nothing, and has nothing to say where nothing is known', async () => {
    const model = await fit(shown, { H: 4, l1: 0.05, engine });
    const found = await model.chooseShrink(shown, { engine });
    expect(found.shrink).toBeGreaterThan(0);
    expect(found.entryLoss).toBeLessThan(found.entryLossUnshrunk);
    const data = new Float32Array(2 * shown.V).fill(Number.NaN);
    const unknown = { data, n: 2, V: shown.V, missing: Number.NaN };
    expect((await model.chooseShrink(unknown, { engine })).entryLoss).toBeNaN();
    const wrong = [{ hide: 0 }, { hide: 1 }, { rowWeights: [1, 2] }];
    for (const options of wrong) {
      await expect(model.chooseShrink(shown, { engine, ...options })).rejects.toThrow(/^chooseShrink: /);
    }
    // However little is hidden, there is an end to it.
    expect((await model.chooseShrink(shown, { engine, hide: 1e-5 })).shrink).toBeGreaterThanOrEqual(0);
  });
});

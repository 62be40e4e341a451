import { describe, expect, it } from 'vitest';
import { digits } from '../../src/data/digits.ts';
import { createWasmEngine } from '../../src/engine/wasm/engine.ts';
import { fit } from '../../src/model/fit.ts';
import { impute } from '../../src/model/impute.ts';
import { corrupt } from '../../src/rows/corrupt.ts';
import { hideEntries } from '../../src/rows/hide.ts';
import { asRows } from '../../src/rows/input.ts';
import { entry, type Rows, sliceRows } from '../../src/rows/rows.ts';

import { entryNats, lowRankRows } from '../low-rank.ts';

const engine = await createWasmEngine();

/** The generated digits as rows of bits. */
function digitRows(n: number): Rows {
  const { images } = digits({ train: n, test: 1, seed: 1 }).train;
  return asRows({
    data: Uint8Array.from(images.subarray(0, n * 784), (grey) => (grey > 127 ? 1 : 0)),
    n,
    V: 784,
  });
}

describe('missing values', () => {
  const all = digitRows(1000);
  const hidden = corrupt(all, { kind: 'hide', rho: 0.2, seed: 3 });
  const [train, test] = [sliceRows(hidden, 0, 800), sliceRows(hidden, 800, 1000)];
  const truth = sliceRows(all, 800, 1000);

  /** Mean nats and share of errors over the entries that were hidden. */
  function score(mean: (i: number, v: number) => number) {
    let [loss, wrong, count] = [0, 0, 0];
    for (let i = 0; i < test.n; i++) {
      for (let v = 0; v < test.V; v++) {
        if (!Number.isNaN(entry(test, i, v))) continue;
        const agrees = entry(truth, i, v) * mean(i, v);
        loss -= Math.log(Math.max(1e-4, (1 + agrees) / 2));
        if (agrees < 0) wrong++;
        count++;
      }
    }
    return { loss: loss / count, wrong: wrong / count };
  }

  function knownMean(rows: Rows, v: number): number {
    const known = Array.from({ length: rows.n }, (_, i) => entry(rows, i, v)).filter((x) => !Number.isNaN(x));
    return known.reduce((sum, x) => sum + x, 0) / (known.length + 2);
  }

  it('are reconstructed far better than by base rates, and nothing else is touched', async () => {
    const model = await fit(train, { H: 12, epochs: 20, engine });
    const filled = await impute(model, test, { engine });
    const rates = Array.from({ length: test.V }, (_, v) => knownMean(train, v));
    const [imputed, base] = [score((i, v) => filled.values[i * test.V + v]), score((_, v) => rates[v])];
    expect(imputed.wrong).toBeLessThan(0.6 * base.wrong);
    expect(imputed.loss).toBeLessThan(0.7 * base.loss);
    for (let i = 0; i < test.n; i++) {
      for (let v = 0; v < test.V; v++) {
        const x = entry(test, i, v);
        if (!Number.isNaN(x)) expect(entry(filled, i, v)).toBe(x);
      }
    }
  });

  it('count for nothing: what stands in their place does not matter', async () => {
    if (train.kind !== 'bits') throw new Error('expected bits');
    const model = await fit(train, { H: 4, epochs: 5, engine });
    const scrambled: Rows = { ...train, bits: train.bits.map((byte, k) => byte ^ (~train.known![k] & 255)) };
    expect((await fit(scrambled, { H: 4, epochs: 5, engine })).W).toEqual(model.W);
    const [a, b] = [await model.evaluate(train, { engine }), await model.evaluate(scrambled, { engine })];
    expect(b).toEqual(a);
  });

  it('may be whole rows and whole columns', async () => {
    const values = Float32Array.from({ length: 30 * 10 }, (_, k) =>
      k < 10 || k % 10 === 3 ? Number.NaN : ((k * 7) % 11) % 2 === 0 ? 1 : -1,
    );
    const rows: Rows = { kind: 'real', n: 30, V: 10, values };
    const model = await fit(rows, { H: 2, epochs: 5, engine });
    const { values: filled } = await impute(model, rows, { engine });
    expect(filled.every((x) => x >= -1 && x <= 1)).toBe(true);
    expect((await model.encode(rows, { engine })).losses[0]).toBe(0);
  });
});

describe('codes that complete rows', () => {
  const { shown, hidden } = hideEntries(lowRankRows(400, 30, 2), 0.15, 4);

  it('are drawn towards 0 until they are as sure as they should be, and it is said what an entry costs', async () => {
    const model = await fit(shown, { H: 5, engine });
    const best = await impute(model, shown, { engine, shrink: 0 });
    const filled = await impute(model, shown, { engine });
    const [bestNats, nats] = [best, filled].map(({ values }) => entryNats(hidden, values));
    expect(nats).toBeLessThan(0.7 * bestNats);
    expect(Math.abs(filled.entryLoss! - nats)).toBeLessThan(0.2);
    expect(filled.entryLossUnshrunk).toBeGreaterThan(filled.entryLoss!);
    expect(best).not.toHaveProperty('entryLoss');
    const again = await impute(model, shown, { engine, shrink: filled.shrink });
    expect(again.values).toEqual(filled.values);
  });

  it('stay as they are where they are bits, and nonsense is refused', async () => {
    const model = await fit(shown, { H: 4, encoding: 'bits', epochs: 6, engine });
    expect((await impute(model, shown, { engine })).shrink).toBe(0);
    await expect(impute(model, shown, { engine, shrink: 1 })).rejects.toThrow('codes of bits');
    const box = await fit(shown, { H: 2, epochs: 1, engine });
    await expect(impute(box, shown, { engine, shrink: -1 })).rejects.toThrow('shrink must be');
  });
});

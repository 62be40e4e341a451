import { describe, expect, it } from 'vitest';
import { createWasmEngine } from '../../src/engine/wasm/engine.ts';
import { fit } from '../../src/model/fit.ts';
import { load } from '../../src/model/load.ts';
import { PCAE } from '../../src/model/model.ts';
import { entry, type Rows, sliceRows, takeRows } from '../../src/rows/rows.ts';
import { toyRows } from './toy.ts';

const engine = await createWasmEngine();
const n = 40;
const rows = toyRows(n);
const H = 3;
/**
 * All rows in every step and a ridge that does not depend on their number: the same objective, the same path.
 */
const options = { H, epochs: 15, engine, ridge: 0.01, batch: 1000 };
const weights = Array.from({ length: n }, (_, i) => i % 3);
const repeated = takeRows(
  rows,
  weights.flatMap((weight, i) => new Array<number>(weight).fill(i)),
);

/** The rows with one column's entries unknown. */
function without(column: number): Rows {
  const values = Float32Array.from({ length: n * rows.V }, (_, k) =>
    k % rows.V === column ? Number.NaN : entry(rows, Math.floor(k / rows.V), k % rows.V),
  );
  return { kind: 'real', n, V: rows.V, values };
}

describe('weights of rows', () => {
  it('count a row of weight 2 as the row twice and a row of weight 0 not at all, in learning', async () => {
    const weighted = await fit(rows, { ...options, epochs: 150, rowWeights: weights });
    const twice = await fit(repeated, { ...options, epochs: 150 });
    expect(weighted.training.n).toBe(weights.filter((weight) => weight > 0).length);
    // Both end at minima of the same objective; they start from slightly different weights.
    expect(Math.abs(weighted.training.loss - twice.training.loss)).toBeLessThan(0.02 * twice.training.loss);
    for (const v of [20, 60, 100]) {
      const [a, b] = [weighted.B[v * (H + 1) + H], twice.B[v * (H + 1) + H]];
      expect(a).toBeCloseTo(b, 5);
    }
  });

  it('do so in evaluation, and only their ratios matter', async () => {
    const model = await fit(rows, options);
    const weighted = await model.evaluate(rows, { engine, rowWeights: weights });
    const twice = await model.evaluate(repeated, { engine });
    const scaled = await model.evaluate(rows, { engine, rowWeights: weights.map((weight) => 0.01 * weight) });
    for (const key of ['loss', 'hamming', 'bound', 'drift'] as const) {
      expect(weighted[key]).toBeCloseTo(twice[key], 3);
      expect(scaled[key]).toBeCloseTo(weighted[key], 3);
    }
  });

  it('count in the loss of drawn bits too', async () => {
    const model = await fit(rows, options);
    const only = Float64Array.from({ length: n }, (_, i) => (i < 20 ? 3 : 0));
    const weighted = await model.evaluate(rows, { engine, draws: 4, rowWeights: only });
    const { randomised } = await model.evaluate(sliceRows(rows, 0, 20), { engine, draws: 4 });
    expect(weighted.randomised?.loss).toBeCloseTo(randomised!.loss, 6);
    expect(weighted.randomised?.standardError).toBeCloseTo(randomised!.standardError, 6);
  });

  it('say what is wrong with them', async () => {
    await expect(fit(rows, { ...options, rowWeights: [1, 2] })).rejects.toThrow(/each of the 40 rows, got 2/);
    const wrong = weights.map((weight, i) => (i === 4 ? -1 : weight));
    await expect(fit(rows, { ...options, rowWeights: wrong })).rejects.toThrow(
      /row 4 must be at least 0, got -1/,
    );
    await expect(fit(rows, { ...options, rowWeights: new Float32Array(n) })).rejects.toThrow(
      /every row has weight 0/,
    );
    const one = Float32Array.from({ length: n }, (_, i) => (i === 7 ? 1 : 0));
    await expect(fit(rows, { ...options, validation: 0.1, rowWeights: one })).rejects.toThrow(
      'at least two, and this one has 1 row',
    );
  });
});

describe('weights of columns', () => {
  const column = 105;
  const columnWeights = new Float32Array(rows.V).fill(1);
  columnWeights[column] = 0;

  it('of 0 are as if the column were missing, in learning, encoding and loss', async () => {
    const model = await fit(rows, { ...options, columnWeights });
    const missing = await fit(without(column), options);
    expect(model.training.loss).toBeCloseTo(missing.training.loss, 2);
    const { codes, losses } = await model.encode(rows, { engine });
    const hidden = await model.encode(without(column), { engine });
    hidden.losses.forEach((loss, i) => {
      expect(losses[i]).toBeCloseTo(loss, 2);
    });
    expect(codes.length).toBe(hidden.codes.length);
  });

  it('multiply what an entry costs', async () => {
    const double = await fit(rows, { ...options, columnWeights: new Float32Array(rows.V).fill(2) });
    const plain = new PCAE({ ...double, columnWeights: undefined });
    const [twice, once] = [await double.encode(rows, { engine }), await plain.encode(rows, { engine })];
    twice.losses.forEach((loss, i) => {
      expect(Math.abs(loss - 2 * once.losses[i])).toBeLessThan(0.03);
    });
    expect(double.guarantee(0.01).driftCost).toBeCloseTo(2 * plain.guarantee(0.01).driftCost, 6);
  });

  it('are kept with the model', async () => {
    const model = await fit(rows, { ...options, epochs: 2, columnWeights });
    const loaded = load(model.save(), { as: PCAE });
    expect(loaded.columnWeights).toEqual(columnWeights);
    expect((await loaded.encode(rows, { engine })).losses).toEqual(
      (await model.encode(rows, { engine })).losses,
    );
  });
});

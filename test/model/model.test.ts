import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import { createEngine } from '../../src/engine/node/index.ts';
import { crossEntropy, matrix, encode as oracle } from '../../src/math.ts';
import { fit } from '../../src/model/fit.ts';
import { load } from '../../src/model/load.ts';
import { PCAE } from '../../src/model/model.ts';
import { memorySource } from '../../src/rows/memory.ts';
import { entry, sliceRows, takeRows } from '../../src/rows/rows.ts';
import { toyRows } from '../training/toy.ts';

const rows = toyRows(400);
const test = toyRows(60, 5);
let engine: Engine;
let model: PCAE;
beforeAll(async () => {
  engine = await createEngine({ threads: 1 });
  model = await fit(rows, { H: 5, epochs: 10, bias: false, engine });
});
afterAll(() => engine.close());

const mean = (values: ArrayLike<number>) => Array.from(values).reduce((a, b) => a + b, 0) / values.length;

describe('encode', () => {
  it('certifies every code: none is further from the oracle than its gap says', async () => {
    const { losses, gaps } = await model.encode(test, { engine });
    const W = matrix(model.V, model.H, model.W);
    for (let i = 0; i < test.n; i++) {
      const x = Float64Array.from({ length: test.V }, (_, v) => entry(test, i, v));
      const best = oracle(crossEntropy, W, x).value / 2;
      expect(gaps[i]).toBeLessThanOrEqual(0.01);
      expect(losses[i] - best).toBeLessThanOrEqual(gaps[i] + 1e-9);
      expect(losses[i]).toBeGreaterThanOrEqual(best - 1e-6);
    }
  });

  it('tightens the certificate when asked to', async () => {
    const { gaps } = await model.encode(test, { tolerance: 1e-4, engine });
    expect(Math.max(...gaps)).toBeLessThanOrEqual(1e-4);
  });

  it('does not depend on the company a row is encoded in, nor on its order', async () => {
    const all = await model.encode(test, { engine });
    const part = await model.encode(sliceRows(test, 13, 31), { engine });
    expect(part.codes).toEqual(all.codes.subarray(13 * 5, 31 * 5));
    const backwards = Array.from({ length: test.n }, (_, i) => test.n - 1 - i);
    const reversed = await model.encode(takeRows(test, backwards), { engine });
    for (let i = 0; i < test.n; i++) {
      expect(reversed.codes.subarray(i * 5, i * 5 + 5)).toEqual(
        all.codes.subarray((59 - i) * 5, (60 - i) * 5),
      );
    }
  });

  it('reads part of a table as the whole was read: without a negative entry it stands for the same', async () => {
    const data = Float32Array.from({ length: 60 * 8 }, (_, k) => Math.sin(k * k));
    const learned = await fit({ data, n: 60, V: 8 }, { H: 2, epochs: 5, engine });
    const positive = data.subarray(0, 8).map(Math.abs);
    const { codes } = await learned.encode(
      { data: Float32Array.of(...positive, ...data.subarray(8, 16)), n: 2, V: 8 },
      { engine },
    );
    const row = { data: positive, n: 1, V: 8 };
    expect((await learned.encode(row, { engine })).codes).toEqual(codes.subarray(0, 2));
    const loaded = load(learned.save(), { as: PCAE });
    expect((await loaded.encode(row, { engine })).codes).toEqual(codes.subarray(0, 2));
    expect((await loaded.encode({ ...row, values: 'unit' }, { engine })).codes).not.toEqual(
      codes.subarray(0, 2),
    );
    const probabilities = { data: data.map((x) => (1 + x) / 2), n: 60, V: 8 };
    const unit = await fit(probabilities, { H: 2, epochs: 5, engine });
    await expect(unit.encode({ data, n: 60, V: 8 }, { engine })).rejects.toThrow(
      /expected a number in \[0, 1\], as the rows learned from have, or values: 'signs'/,
    );
  });

  it('does not depend on threads', async () => {
    const two = await createEngine({ threads: 2 });
    expect(await model.encode(test, { engine: two })).toEqual(await model.encode(test, { engine }));
    await two.close();
  });

  it('reaches the loss of the training codes', async () => {
    const { losses } = await model.encode(rows, { engine });
    expect(mean(losses)).toBeLessThanOrEqual(model.training.loss + 0.01);
  });

  it('refuses other columns and bad tolerances', async () => {
    const other = { data: new Uint8Array(30), n: 3, V: 10 };
    await expect(model.encode(other, { engine })).rejects.toThrow(
      /fitted to rows of 196 columns, these have 10/,
    );
    await expect(model.encode(test, { tolerance: 0, engine })).rejects.toThrow(/tolerance/);
  });

  it('says that weights are too large, not that learning went wrong', async () => {
    const huge = new PCAE({ ...model, W: model.W.map((w) => 1e30 * w) });
    await expect(huge.encode(test, { engine })).rejects.toThrow(
      /^the curvature .* weights or codes are too large/,
    );
  });

  it('refuses what is for codes of bits', async () => {
    const nonsense = 'nonsense' as 'fast';
    await expect(model.encode(test, { effort: nonsense, engine })).rejects.toThrow(
      /encoding 'box' and effort 'nonsense' exclude each other: codes of numbers are optimal/,
    );
    await expect(model.encode(test, { bound: true, engine })).rejects.toThrow(
      /encoding 'box' and bound exclude each other/,
    );
    expect((await model.encode(sliceRows(test, 0, 1), { effort: 'default', engine })).n).toBe(1);
  });
});

describe('decode', () => {
  it('is the optimal reconstruction of Theorem 1', async () => {
    const { codes } = await model.encode(test, { engine });
    const decoded = await model.decode(codes, { engine });
    for (const [i, v] of [
      [0, 0],
      [7, 100],
      [59, 195],
    ]) {
      let m = 0;
      for (let h = 0; h < 5; h++) m += model.W[v * 5 + h] * codes[i * 5 + h];
      expect(decoded[i * model.V + v]).toBeCloseTo(Math.tanh(m / 2), 5);
    }
    expect(await model.reconstruct(test, { engine })).toEqual(decoded);
    await expect(model.decode(new Float32Array(7))).rejects.toThrow(/n x H = n x 5/);
  });

  it('takes codes that went through JSON, and says what it cannot take', async () => {
    const { codes } = await model.encode(test, { engine });
    const sent: number[] = JSON.parse(JSON.stringify(Array.from(codes.subarray(0, 10))));
    expect(await model.decode(sent, { engine })).toEqual(await model.decode(codes.slice(0, 10), { engine }));
    const nested = [sent] as unknown as number[];
    await expect(model.decode(nested, { engine })).rejects.toThrow(/^decode: .* found an array at 0/);
    for (const none of [undefined, await model.encode(test, { engine })])
      await expect(model.decode(none as never, { engine })).rejects.toThrow(
        'such as (await model.encode(rows)).codes',
      );
  });

  it('makes nothing of codes that are not numbers', async () => {
    const codes = new Float32Array(15);
    codes[11] = Number.NaN;
    await expect(model.decode(codes, { engine })).rejects.toThrow(
      /decode: codes must be finite, found NaN in row 2, unit 1/,
    );
  });
});

describe('evaluate and guarantee', () => {
  it('bounds the loss by the remembered correlations', async () => {
    const own = await model.evaluate(rows, { engine });
    // Training rows get the very codes that B was measured from: nothing drifts, and the bound is the loss.
    expect(own.drift).toBeLessThan(1e-5);
    expect(Math.abs(own.bound - own.loss)).toBeLessThan(1e-3 * own.loss);
    const held = await model.evaluate(test, { engine });
    expect(held.n).toBe(60);
    expect(held.bound).toBeGreaterThanOrEqual(held.loss);
    expect(held.gap.max).toBeLessThanOrEqual(0.01);
    expect(held.uncertified).toBe(0);
    expect(held.lossPerBit).toBeCloseTo(held.loss / 196, 12);
    expect(held.hamming).toBeGreaterThan(0);
  });

  it('says what it cannot measure before it starts', async () => {
    const never = { ...memorySource(test), chunks: () => expect.fail('rows were read') };
    for (const draws of [0, 1, 2.5]) {
      await expect(model.evaluate(never, { draws, engine })).rejects.toThrow(/draws must be a whole number/);
    }
    await expect(model.evaluate(undefined as never)).rejects.toThrow(
      /rows: expected arrays .* got undefined/,
    );
    const empty = { ...memorySource(test), n: 0, async *chunks() {} };
    await expect(model.evaluate(empty, { engine })).rejects.toThrow(/no rows to measure on/);
  });

  it('covers drifted correlations by the L_inf form', () => {
    const { bound } = model.guarantee();
    expect(bound).toBeCloseTo(model.training.loss, 10);
    const { bound: drifted, driftCost } = model.guarantee(0.01);
    const norm = model.W.reduce((sum, w) => sum + Math.abs(w), 0);
    expect(driftCost).toBeCloseTo(0.005 * norm, 6);
    expect(drifted).toBeCloseTo(bound + driftCost, 9);
    expect(() => model.guarantee(-1)).toThrow(/drift must be at least 0/);
  });
});

describe('save and load', () => {
  it('brings back a model that does exactly the same', async () => {
    // A Buffer, as Node's readFile gives it: a view on a larger piece of memory.
    const copy = load(Buffer.concat([Buffer.from('x'), model.save()]).subarray(1), { as: PCAE });
    expect(copy.W).toEqual(model.W);
    expect(copy.training).toEqual(JSON.parse(JSON.stringify(model.training)));
    expect(await copy.encode(test, { engine })).toEqual(await model.encode(test, { engine }));
  });

  it('refuses what is no model, with the place and the reason', () => {
    const bytes = model.save();
    expect(() => load(bytes.subarray(0, 100), { as: PCAE, name: 'm' })).toThrow(/^m/);
    expect(() => load('m.safetensors' as never)).toThrow(/expected the bytes of a file.*loadModel/);
    // One character per byte and back: `TextDecoder('latin1')` is windows-1252, and newer Nodes keep to that.
    const text = Buffer.from(bytes).toString('latin1');
    const edit = (from: string, to: string) => {
      expect(text).toContain(from);
      return Uint8Array.from(Buffer.from(text.replace(from, to), 'latin1'));
    };
    expect(() => load(edit('"version\\":1', '"version\\":9'), { as: PCAE })).toThrow(/format version 9/);
    expect(() => load(edit('\\"H\\":5', '\\"H\\":6'), { as: PCAE })).toThrow(
      /tensor 'W'.*expected F32 of 196 x 6/,
    );
    expect(() => load(edit('"pc-ae"', '"pc-xx"'), { as: PCAE })).toThrow(/not a model of ours/);
  });
});

describe('weights of 1e38', () => {
  it('give numbers or an error, never codes that are none', async () => {
    const huge = new PCAE({ ...model, W: model.W.map((w) => Math.sign(w) * 1e38) });
    const found = await huge.encode(test, { engine }).catch((error: Error) => error);
    if (found instanceof Error) expect(found.message).toMatch(/too large/);
    else expect(found.codes.every(Number.isFinite)).toBe(true);
  });
});

describe('save', () => {
  it('refuses a path, for it writes no file', () => {
    const save = model.save.bind(model) as (path: string) => unknown;
    expect(() => save('model.safetensors')).toThrow(
      "await saveModel('model.safetensors', model) of pc-ae/node",
    );
  });

  it('refuses weights that are not finite, where they arise', () => {
    const W = model.W.slice();
    W[3] = Number.NaN;
    expect(() => new PCAE({ ...model, W }).save()).toThrow('save: W holds NaN at 3');
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import { createEngine } from '../../src/engine/node/index.ts';
import { fit } from '../../src/model/fit.ts';
import { load } from '../../src/model/load.ts';
import { localMask, strongestMask } from '../../src/model/masks.ts';
import { PCAE } from '../../src/model/model.ts';
import { partialFit } from '../../src/model/partial-fit.ts';
import { baseRateLoss, toyRows } from '../training/toy.ts';

const rows = toyRows(300);
const image = { height: 14, width: 14 };
const H = 8;
const mask = localMask({ image, H, patch: 7 });
let engine: Engine;
let dense: PCAE;
let local: PCAE;
beforeAll(async () => {
  engine = await createEngine({ threads: 1 });
  dense = await fit(rows, { H, epochs: 8, engine });
  local = await fit(rows, { H, epochs: 8, chosen: mask, engine });
});
afterAll(() => engine.close());

/** Whether a matrix V x (H + 1) is zero wherever the mask is; the bias column is always there. */
const obeys = (values: Float32Array, chosen: Uint8Array) =>
  values.every((value, i) => {
    const h = i % (H + 1);
    return h === H || chosen[Math.floor(i / (H + 1)) * H + h] === 1 || value === 0;
  });

describe('learning with chosen correlations', () => {
  it('leaves no weight and no remembered correlation outside the mask', () => {
    expect(obeys(local.W, mask)).toBe(true);
    expect(obeys(local.B, mask)).toBe(true);
    expect(obeys(dense.W, mask)).toBe(false);
    expect(local.W.filter((w) => w !== 0).length).toBeGreaterThan(0.9 * mask.filter((m) => m).length);
    expect(local.training.loss).toBeLessThan(0.9 * baseRateLoss(rows));
  });

  it('with everything chosen is learning without a mask, bit for bit', async () => {
    const all = await fit(rows, { H, epochs: 8, chosen: new Uint8Array(rows.V * H).fill(1), engine });
    expect(all.W).toEqual(dense.W);
    expect(all.B).toEqual(dense.B);
    expect(all.chosen).toBeUndefined();
  });

  it('costs loss, and certifies codes as always', async () => {
    expect(local.training.loss).toBeGreaterThan(dense.training.loss);
    const { codes, gaps } = await local.encode(rows, { engine });
    expect(codes).toEqual(local.trainingCodes);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(0.01);
  });

  it('lets nothing outside the mask count as drift', async () => {
    const own = await local.evaluate(rows, { engine });
    expect(own.drift).toBeLessThan(1e-5);
    expect(Math.abs(own.bound - own.loss)).toBeLessThan(1e-3 * own.loss);
    expect((await local.evaluate(toyRows(50, 4), { engine })).bound).toBeGreaterThan(own.loss);
  });

  it('keeps the strongest correlations and learns on with them', async () => {
    const strongest = strongestMask(dense, 3);
    const kept = await fit(rows, { H, start: dense.W, chosen: strongest, epochs: 4, engine });
    expect(obeys(kept.W, strongest)).toBe(true);
    expect(kept.training.loss).toBeLessThan(0.9 * baseRateLoss(rows));
    // Learning on keeps the mask.
    const next = await partialFit(kept, rows, { engine });
    expect(next.chosen).toEqual(strongest);
    expect(obeys(next.W, strongest)).toBe(true);
  });

  it('works together with relaxed correlations', async () => {
    const both = await fit(rows, { H, epochs: 6, chosen: mask, l1: 0.01, engine });
    expect(obeys(both.W, mask)).toBe(true);
    const zeros = (values: Float32Array) => values.filter((w) => w === 0).length;
    expect(zeros(both.W)).toBeGreaterThan(zeros(local.W));
  });

  it('is saved small and read back the same', async () => {
    const bytes = local.save();
    const copy = load(bytes, { as: PCAE });
    expect(bytes.length).toBeLessThan(0.75 * dense.save().length);
    expect(copy.W).toEqual(local.W);
    expect(copy.B).toEqual(local.B);
    expect(copy.chosen).toEqual(mask);
    expect(await copy.encode(rows, { engine })).toEqual(await local.encode(rows, { engine }));
  });

  it.each([
    [new Uint8Array(7), /chosen must hold V x H = 196 x 8 entries, got 7/],
    [new Uint8Array(rows.V * H).fill(2), /chosen must hold 0 and 1, got 2 at column 0, unit 0/],
    [Array.from({ length: rows.V * H }, (_, i) => (i === 9 ? 0.5 : 1)), /got 0.5 at column 1, unit 1/],
  ])('refuses a mask that is none', async (wrong, message) => {
    await expect(fit(rows, { H, chosen: wrong, engine })).rejects.toThrow(message);
  });

  it('refuses algorithms that use all correlations', async () => {
    await expect(fit(rows, { H, chosen: mask, algorithm: 'paper', engine })).rejects.toThrow(
      /algorithm 'paper' and chosen exclude/,
    );
    await expect(fit(rows, { H, chosen: mask, encoding: 'bits', engine })).rejects.toThrow(
      /encoding 'bits' and chosen exclude/,
    );
  });
});

describe('masks', () => {
  it('by locality: every unit sees its patch and nothing else, and the patches reach every border', () => {
    for (const [options, area] of [
      [{ image, H: 9, patch: 6 }, 36],
      [{ image, H: 5, patch: [3, 14] as const }, 42],
      [{ image, H: 30, patch: 5, stride: 4 }, 25],
    ] as const) {
      const found = localMask(options);
      for (let h = 0; h < options.H; h++) {
        const seen = Array.from({ length: 196 }, (_, v) => v).filter((v) => found[v * options.H + h]);
        expect(seen).toHaveLength(area);
        const [ys, xs] = [seen.map((v) => Math.floor(v / 14)), seen.map((v) => v % 14)];
        const extent = (values: number[]) => Math.max(...values) - Math.min(...values) + 1;
        expect(extent(ys) * extent(xs)).toBe(area);
      }
      const reached = (v: number) => found.subarray(v * options.H, (v + 1) * options.H).includes(1);
      if (options.H > 5) for (const corner of [0, 13, 182, 195]) expect(reached(corner)).toBe(true);
    }
    expect(() => localMask({ image, H: 4, patch: 15 })).toThrow(/does not fit into pictures of 14 x 14/);
    expect(() => localMask({ image, H: 4, patch: 2.5 })).toThrow(/patch must be made of whole numbers/);
    expect(() => localMask({ image, H: 4, patch: 3, stride: 0 })).toThrow(/stride/);
  });

  it('by strength: k units a bit, by correlation or by what they take off the slack; ties go to the first', () => {
    const B = Float32Array.from([1, -3, 2, 9, 0.5, 0.5, 0.5, 9]);
    const W = Float32Array.from([9, 1, -1, 9, 1, 1, -2, 9]);
    const small = { B, W, V: 2, H: 3 };
    expect([...strongestMask(small, 2, 'correlation')]).toEqual([0, 1, 1, 1, 1, 0]);
    expect([...strongestMask(small, 2)]).toEqual([1, 1, 0, 1, 0, 1]);
    expect(() => strongestMask(small, 4)).toThrow(/from 1 to H = 3, got 4/);
  });
});

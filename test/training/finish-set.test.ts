import { afterAll, describe, expect, it } from 'vitest';
import { encodingOf } from '../../src/encodings/by-name.ts';
import type { EncodingName } from '../../src/encodings/encoding.ts';
import { nonnegative } from '../../src/encodings/nonnegative.ts';
import { simplex } from '../../src/encodings/simplex.ts';
import { createEngine } from '../../src/engine/node/index.ts';
import { fit } from '../../src/model/fit.ts';
import { load } from '../../src/model/load.ts';
import { PCAE } from '../../src/model/model.ts';
import { partialFit } from '../../src/model/partial-fit.ts';
import { baseRateLoss, toyRows } from './toy.ts';

const rows = toyRows(500);
const test = toyRows(80, 5);
const H = 6;
const engine = await createEngine({ threads: 1 });
afterAll(() => engine.close());

function expectInside(set: EncodingName, radius: number, codes: Float32Array): void {
  for (let i = 0; i < codes.length; i += H) {
    const e = Float64Array.from(codes.subarray(i, i + H));
    const projected = e.slice();
    encodingOf(set).project(projected, radius);
    e.forEach((value, h) => {
      expect(Math.abs(value - projected[h])).toBeLessThan(1e-5 * (1 + radius));
    });
  }
}

describe.each<EncodingName>(['nonnegative', 'simplex', 'ball'])(
  'codes learned in the set: %s',
  (encoding) => {
    it('fits, proves its codes, and is the same after a file', async () => {
      const model = await fit(rows, { H, encoding, epochs: 12, engine });
      const box = await fit(rows, { H, epochs: 12, engine });
      expect(model.encoding).toBe(encoding);
      expect(model.radius === 1).toBe(encoding !== 'nonnegative');
      expectInside(encoding, model.radius, model.trainingCodes!);
      const held = await model.evaluate(test, { engine });
      expect(held.uncertified).toBe(0);
      expect(held.gap.max).toBeLessThanOrEqual(0.01);
      expect(model.training.loss).toBeLessThan(0.75 * baseRateLoss(rows));
      // With W free a set is mostly a choice of coordinates: none does much better than the box.
      expect(model.training.loss).toBeGreaterThan(0.9 * box.training.loss);
      const copy = load(model.save(), { as: PCAE });
      const encoded = await model.encode(test, { engine });
      expect(await copy.encode(test, { engine })).toEqual(encoded);
      expectInside(encoding, model.radius, encoded.codes);
    });

    it('learns on from a model, and without a bias unit', async () => {
      const model = await fit(rows, { H, encoding, epochs: 6, bias: false, engine });
      expect(model.training.loss).toBeLessThan(baseRateLoss(rows));
      const further = await partialFit(model, rows, { engine });
      expect(further.encoding).toBe(encoding);
      expect(further.training.loss).toBeLessThan(1.1 * model.training.loss);
    });

    it("is refused by the paper's procedure", async () => {
      await expect(fit(rows, { H, encoding, algorithm: 'paper', engine })).rejects.toThrow(
        /encoding '.*' and algorithm 'paper' exclude each other/,
      );
    });
  },
);

describe('the start in a set', () => {
  it('gives codes moved into the set the scores that they had', () => {
    const [V, H] = [3, 4];
    const W = Float32Array.from({ length: V * (H + 1) }, (_, k) => Math.sin(k + 1));
    const scores = (weights: Float32Array, e: readonly number[]) =>
      Array.from({ length: V }, (_, v) => e.reduce((sum, x, h) => sum + x * weights[v * (H + 1) + h], 0));
    const lifted = nonnegative.start(W, { V, H, bias: true });
    const e = [0.5, -0.3, 0.2, 0.9];
    const before = scores(W, [...e, 1]);
    scores(lifted, [...e.map((x) => x + 1), 1]).forEach((m, v) => {
      expect(m).toBeCloseTo(before[v], 5);
    });
    // On the simplex every column's weights add up to 0: moving along (1, ..., 1) changes no score.
    const flat = simplex.start(W, { V, H, bias: true });
    scores(flat, [1, 1, 1, 1, 0]).forEach((m) => {
      expect(m).toBeCloseTo(0, 5);
    });
  });
});

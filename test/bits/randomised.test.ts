import { describe, expect, test } from 'vitest';
import { drawCodes, expectedLoss } from '../../src/bits/randomised.ts';
import { floatsOf } from '../../src/engine/engine.ts';
import { referenceEngine } from '../../src/engine/reference/engine.ts';
import { crossEntropy } from '../../src/losses/cross-entropy.ts';
import { entry } from '../../src/rows/rows.ts';

const H = 5;
const V = 7;
const n = 4;
const width = H + 1;
const rows = { kind: 'bits', n, V, bits: Uint8Array.from([0x15, 0x7f, 0x2a, 0x41]) } as const;
const wave = (k: number) => Math.fround(Math.sin(1 + 2.3 * k));
const W = Float32Array.from({ length: V * width }, (_, k) => 1.5 * wave(k));
const E = Float32Array.from({ length: n * width }, (_, k) => (k % width === H ? 1 : wave(k + 100)));
E[0] = 1;
E[1] = -1;

/** sum over the 2^H codes of their probability times their loss, for row i. */
function enumerated(i: number): number {
  let sum = 0;
  for (let pattern = 0; pattern < 1 << H; pattern++) {
    let probability = 1;
    const e = Array.from({ length: H }, (_, h) => ((pattern >> h) & 1 ? 1 : -1));
    for (let h = 0; h < H; h++) probability *= (1 + e[h] * E[i * width + h]) / 2;
    let loss = 0;
    for (let v = 0; v < V; v++) {
      let m = W[v * width + H];
      for (let h = 0; h < H; h++) m += W[v * width + h] * e[h];
      loss += Math.log1p(Math.exp(-entry(rows, i, v) * m));
    }
    sum += probability * loss;
  }
  return sum;
}

async function estimate(draws: number, seed: number, range?: { start: number; end: number }) {
  const engine = referenceEngine();
  const [codes, weights] = [E, W].map((values) => floatsOf(engine, values));
  const shape = { V, H, bias: true };
  const at = { block: engine.load(rows), shape, W: weights, E: codes, loss: crossEntropy, range };
  return expectedLoss(engine, at, { draws, seed });
}

describe('randomised codes', () => {
  test('one half is +1 three times in four (Sec. 1.1), the ends are certain, the bias stays', () => {
    const count = 20_000;
    const box = Float32Array.from({ length: 4 * count }, (_, k) => [0.5, 1, -1, 1][k % 4]);
    const drawn = drawCodes({ E: box, H: 3, width: 4 }, { seed: 1 });
    let plus = 0;
    for (let i = 0; i < count; i++) {
      if (drawn[4 * i] === 1) plus++;
      else expect(drawn[4 * i]).toBe(-1);
      expect([drawn[4 * i + 1], drawn[4 * i + 2], drawn[4 * i + 3]]).toEqual([1, -1, 1]);
    }
    // Four standard deviations of a binomial count.
    expect(Math.abs(plus - 0.75 * count)).toBeLessThan(4 * Math.sqrt(count * 0.75 * 0.25));
  });

  test('a row draws the same bits alone and in company; seeds and draws differ', () => {
    const all = drawCodes({ E, H, width }, { seed: 3 });
    const third = drawCodes({ E: E.subarray(2 * width, 3 * width), H, width }, { seed: 3, firstRow: 2 });
    expect(third).toEqual(all.slice(2 * width, 3 * width));
    expect(drawCodes({ E, H, width }, { seed: 3, draw: 1 })).not.toEqual(all);
    expect(drawCodes({ E, H, width }, { seed: 4 })).not.toEqual(all);
  });

  test('the estimate covers the exact expectation, and its error shrinks as it says', async () => {
    const exact = Array.from({ length: n }, (_, i) => enumerated(i));
    const mean = exact.reduce((sum, value) => sum + value, 0) / n;
    const few = await estimate(100, 7);
    const many = await estimate(6400, 7);
    for (const result of [few, many]) {
      expect(Math.abs(result.mean - mean)).toBeLessThan(4 * result.standardError);
      for (let i = 0; i < n; i++) {
        expect(Math.abs(result.rows[i] - exact[i])).toBeLessThan(4 * result.rowErrors[i]);
      }
    }
    expect(few.standardError / many.standardError).toBeGreaterThan(7);
    expect(few.standardError / many.standardError).toBeLessThan(9);
    // Jensen: bits drawn from a code cannot do better than the code itself.
    expect(many.undrawn).toBeLessThan(mean);
  });

  test('a range is its part of the whole', async () => {
    const all = await estimate(10, 2);
    const part = await estimate(10, 2, { start: 1, end: 3 });
    expect(part.rows).toEqual(all.rows.slice(1, 3));
  });

  test('codes have no bias unit unless it is said, and their numbers make whole codes', () => {
    const box = { E: Float32Array.from([0.5, -0.5, 0, 0.9]), H: 2 };
    const drawn = drawCodes(box, { seed: 1 });
    expect(Array.from(drawn, Math.abs)).toEqual([1, 1, 1, 1]);
    expect(drawn).toEqual(drawCodes({ ...box, width: 2 }, { seed: 1 }));
    expect(() => drawCodes({ ...box, width: 3 }, { seed: 1 })).toThrow(
      'codes: found 4 numbers, expected whole codes of 3',
    );
    expect(() => drawCodes({ ...box, width: 1 }, { seed: 1 })).toThrow(
      'width: found 1, expected 2, or 3 with a bias unit',
    );
  });

  test('codes outside the box and a single draw are refused', async () => {
    expect(() => drawCodes({ E: Float32Array.from([0, 2]), H: 2, width: 2 }, { seed: 0 })).toThrow(
      'code 1, unit 2 is 2, outside the box',
    );
    await expect(estimate(1, 0)).rejects.toThrow('at least 2');
  });
});

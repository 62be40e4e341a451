import { afterAll, describe, expect, it } from 'vitest';
import { createEngine } from '../../src/engine/node/index.ts';
import { crossEntropy } from '../../src/math.ts';
import { sliceRows, takeRows } from '../../src/rows/rows.ts';
import { Encoder } from '../../src/solvers/encode.ts';
import { annealing, BitEncoder, type BitsOptions } from '../../src/solvers/encode-bits.ts';
import { gaussians } from '../../src/solvers/gaussians.ts';
import { toyRows } from '../training/toy.ts';

const H = 8;
const rows = toyRows(60, 3);
const shape = { V: rows.V, H, bias: true };
const decoder = {
  shape,
  W: Float32Array.from(gaussians(rows.V * (H + 1), 4), (value) => 0.6 * value),
  loss: crossEntropy,
  radius: 1,
  curvature: new Float32Array(rows.V).fill(0.12),
};

const engine = await createEngine({ threads: 1 });
afterAll(() => engine.close());

async function encode(options: BitsOptions, what = rows, tolerance = 0.01) {
  const encoder = await BitEncoder.create(engine, decoder, options);
  const encoded = await encoder.encode(what, tolerance);
  encoder.free();
  return encoded;
}

/** The loss of a code in float64. */
function lossOf(code: Float32Array, row: number): number {
  let loss = 0;
  for (let v = 0; v < rows.V; v++) {
    let m = decoder.W[v * (H + 1) + H];
    for (let h = 0; h < H; h++) m += decoder.W[v * (H + 1) + h] * code[h];
    const x = (rows.bits[row * 25 + (v >> 3)] >> (v & 7)) & 1 ? 1 : -1;
    loss += Math.log1p(Math.exp(-x * m));
  }
  return loss;
}

const mean = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0) / values.length;

describe('annealing', () => {
  it('takes more steps where there are more bits, at temperatures that follow the curvature', () => {
    const [few, many] = [16, 100].map((units) => annealing(new Float32Array(units).fill(2)));
    expect(few.iterations).toBe(14);
    expect(many.iterations).toBe(44);
    expect(many).toMatchObject({ hot: 1.2, cold: 0.8 });
  });
});

describe('BitEncoder', () => {
  it('comes closer to the best code of all the harder it tries', async () => {
    const [fast, usual, thorough, best] = await Promise.all(
      (['fast', 'default', 'thorough', 'exhaustive'] as const).map((effort) => encode({ effort })),
    );
    expect(mean(fast.losses)).toBeGreaterThanOrEqual(mean(usual.losses));
    expect(mean(usual.losses)).toBeGreaterThanOrEqual(mean(thorough.losses));
    expect(mean(thorough.losses)).toBeGreaterThanOrEqual(mean(best.losses) - 1e-4);
    expect(mean(thorough.losses) - mean(best.losses)).toBeLessThan(0.2);
    for (const { codes } of [fast, usual, thorough, best]) for (const e of codes) expect(Math.abs(e)).toBe(1);
    expect([fast, usual, thorough, best].map(({ flipOptimal }) => flipOptimal?.[0])).toEqual([1, 1, 2, H]);
  });

  it('bounds what any code could reach, more tightly when asked', async () => {
    const best = await encode({ effort: 'exhaustive' });
    const loose = await encode({ effort: 'fast' });
    const tight = await encode({ effort: 'fast', bound: true }, rows, 1e-9);
    expect(tight.codes).toEqual(loose.codes);
    expect(tight.losses).toEqual(loose.losses);
    const relaxation = await Encoder.create(engine, decoder);
    const box = await relaxation.encode(rows, 1e-9);
    relaxation.free();
    for (let i = 0; i < rows.n; i++) {
      // The bounds were made of float32 numbers; they hold of the float64 loss all the same.
      expect(loose.losses[i] - loose.gaps[i]).toBeLessThanOrEqual(box.losses[i]);
      const loss = lossOf(tight.codes.subarray(i * H, (i + 1) * H), i);
      expect(Math.max(loss, tight.losses[i]) - tight.gaps[i]).toBeLessThanOrEqual(box.losses[i]);
      expect(tight.gaps[i]).toBeLessThanOrEqual(loose.gaps[i] + 1e-3);
    }
    expect(mean(tight.gaps)).toBeLessThan(mean(loose.gaps));
    expect(best.gaps.every((gap) => gap === 0)).toBe(true);
  });

  it('ends where no single flip helps; thorough codes resist pairs too', async () => {
    const { codes, losses } = await encode({ effort: 'thorough' });
    for (let row = 0; row < rows.n; row++) {
      const code = codes.slice(row * H, (row + 1) * H);
      expect(losses[row]).toBeCloseTo(lossOf(code, row), 3);
      for (let h = 0; h < H; h++) {
        for (let k = 0; k <= h; k++) {
          const other = code.slice();
          for (const bit of new Set([h, k])) other[bit] *= -1;
          expect(lossOf(other, row)).toBeGreaterThan(losses[row] - 1e-3);
        }
      }
    }
  });

  it('gives a row the same code wherever it stands and whatever stands beside it', async () => {
    const whole = await encode({});
    const order = Uint32Array.from({ length: rows.n }, (_, i) => rows.n - 1 - i);
    const reversed = await encode({}, takeRows(rows, order) as typeof rows);
    const part = await encode({}, sliceRows(rows, 13, 30) as typeof rows);
    const codeAt = (codes: Float32Array, i: number) => codes.slice(i * H, (i + 1) * H);
    for (let i = 0; i < rows.n; i++) {
      expect(codeAt(reversed.codes, rows.n - 1 - i)).toEqual(codeAt(whole.codes, i));
    }
    expect(part.codes).toEqual(whole.codes.slice(13 * H, 30 * H));
  });

  it('says what it cannot do', async () => {
    const large = { ...decoder, shape: { ...shape, H: 17 } };
    await expect(BitEncoder.create(engine, large, { effort: 'exhaustive' })).rejects.toThrow(/H up to 16/);
    const unknown = { effort: 'lazy' } as unknown as BitsOptions;
    await expect(BitEncoder.create(engine, decoder, unknown)).rejects.toThrow(/fast, default, thorough/);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../../src/engine/engine.ts';
import { WORD_RIDGE, type WordCodes } from '../../../src/engine/word-codes.ts';
import { gaussians } from '../../../src/solvers/gaussians.ts';
import { withAssigner } from '../../../src/vectors/assigner.ts';
import { draws } from '../../../src/vectors/draws.ts';
import { fitVectors } from '../../../src/vectors/fit.ts';
import { clustered } from '../../vectors/data.ts';
import { missing, softwareGpu } from './device.ts';

/** Sizes with an edge everywhere: squads, tiles, packed words, and slices of rows are not full. */
const V = 21;
const halves = 10;
const { n, values } = clustered(203, V, 3);
const vectors = Float32Array.from(values, (value, k) => value - (k % V === 0 ? 1 : 0.9));
const words = Float32Array.from(gaussians(16 * halves * V, 5), (value) => 0.4 * value);
const EFFORT = { sweeps: 6, tries: 2, hot: 0.4, ...draws(7) };
/** Sums of some hundred float32 numbers, relative to the sizes of their parts. */
const ROUNDING = 1e-5;

const title = missing
  ? `codes of vectors on the GPU (skipped: ${missing})`
  : 'codes of vectors on the GPU, on SwiftShader';

describe.skipIf(missing && !process.env.CI)(title, { timeout: 120_000 }, () => {
  let gpu: Engine;
  beforeAll(async () => {
    expect(missing, 'CI needs SwiftShader and a Vulkan loader').toBeUndefined();
    gpu = await softwareGpu();
  });
  afterAll(() => gpu?.close());

  function on<T>(engine: Engine | undefined, work: (codes: WordCodes) => Promise<T>): Promise<T> {
    return withAssigner(engine, {}, (assigner) => work(assigner.codes(vectors, V, halves)));
  }

  it('seeks codes whose error is that of float64, and never a larger one', async () => {
    await on(gpu, async (codes) => {
      codes.write(Uint8Array.from({ length: n * halves }, (_, k) => (k * 7) % 16));
      let before = errorsOf(await codes.read(), words);
      for (const [tries, sweeps] of [
        [0, 0],
        [1, 6],
        [3, 4],
      ]) {
        const error = await codes.seek(words, { ...EFFORT, tries, sweeps });
        const after = errorsOf(await codes.read(), words);
        expect(Math.abs(error / mean(after) - 1)).toBeLessThan(ROUNDING);
        after.forEach((own, i) => {
          expect(own).toBeLessThanOrEqual(before[i] + ROUNDING * SIZE);
        });
        before = after;
      }
    });
  });

  it('leaves no code that a change of one half byte would make better', async () => {
    const chosen = await on(gpu, async (codes) => {
      await codes.seek(words, EFFORT);
      return codes.read();
    });
    const errors = errorsOf(chosen, words);
    for (let k = 0; k < chosen.length; k += 37) {
      const i = Math.floor(k / halves);
      for (let w = 0; w < 16; w++) {
        const other = chosen.slice(i * halves, (i + 1) * halves);
        other[k % halves] = w;
        expect(errorOf(i, other, words)).toBeGreaterThan(errors[i] - ROUNDING * SIZE);
      }
    }
  });

  it('finds what threads find, by the same draws: rounding changes few codes', async () => {
    const find = async (codes: WordCodes) => {
      const error = await codes.seek(words, EFFORT);
      return { error, chosen: await codes.read() };
    };
    const [device, threads] = [await on(gpu, find), await on(undefined, find)];
    const same = Array.from({ length: n }, (_, i) => codeOf(device.chosen, i) === codeOf(threads.chosen, i));
    expect(same.filter(Boolean).length).toBeGreaterThan(0.95 * n);
    expect(device.error / threads.error).toBeCloseTo(1, 2);
    expect(await on(gpu, find)).toEqual(device);
  });

  it('gives a vector its code wherever it stands', async () => {
    const chosen = await on(gpu, async (codes) => {
      await codes.seek(words, EFFORT);
      return codes.read();
    });
    const from = 5;
    const moved = await withAssigner(gpu, {}, async (assigner) => {
      const codes = assigner.codes(vectors.slice(from * V), V, halves);
      await codes.seek(words, EFFORT);
      return codes.read();
    });
    expect(moved).toEqual(chosen.slice(from * halves));
  });

  it('fits words to codes as well as float64 does', async () => {
    const chosen = Uint8Array.from({ length: n * halves }, (_, k) => (k * k + (k >> 3)) % 15);
    const find = (codes: WordCodes) => {
      codes.write(chosen);
      return codes.fit();
    };
    const [device, exact] = [await on(gpu, find), await on(undefined, find)];
    const objective = (fitted: Float32Array) =>
      n * mean(errorsOf(chosen, fitted)) + WORD_RIDGE * fitted.reduce((sum, value) => sum + value * value, 0);
    // Float64 is at the minimum, and both are rounded to float32.
    expect(Math.abs(objective(device) / objective(exact) - 1)).toBeLessThan(1e-6);
    // The last word of each half byte was never chosen.
    for (let m = 0; m < halves; m++) {
      const last = (16 * m + 15) * V;
      expect(device.subarray(last, last + V)).toEqual(new Float32Array(V));
    }
    expect(await on(gpu, find)).toEqual(device);
  });

  it('seeks for others at the same time, without a difference', async () => {
    const other = words.map((value) => -0.7 * value);
    const alone = [];
    for (const given of [words, other]) alone.push(await on(gpu, (codes) => codes.seek(given, EFFORT)));
    const together = await withAssigner(gpu, {}, (assigner) =>
      Promise.all([words, other].map((given) => assigner.codes(vectors, V, halves).seek(given, EFFORT))),
    );
    expect(together).toEqual(alone);
  });

  it('keeps what was written, and hears of an abort', async () => {
    const chosen = Uint8Array.from({ length: n * halves }, (_, k) => (k * 11) % 16);
    await on(gpu, async (codes) => {
      codes.write(chosen);
      expect(await codes.read()).toEqual(chosen);
      const signal = AbortSignal.abort(new Error('enough'));
      await expect(codes.seek(words, { ...EFFORT, signal })).rejects.toThrow('enough');
      expect(await codes.read()).toEqual(chosen);
    });
  });

  it('learns the same model twice, about as good as that of threads', async () => {
    const data = clustered(120, 6, 1);
    const options = { bits: 16, metric: 'euclidean', rounds: 3 } as const;
    const model = await fitVectors(data, { ...options, engine: gpu });
    const threads = await fitVectors(data, options);
    expect(model.training.error / threads.training.error).toBeCloseTo(1, 1);
    const again = await fitVectors(data, { ...options, engine: gpu });
    expect(again.words).toEqual(model.words);
    expect(again.temperature).toBe(model.temperature);
    const [device, processor] = [await model.encode(data, { engine: gpu }), await model.encode(data)];
    expect(device.error / processor.error).toBeCloseTo(1, 2);
  });

  /** What a code leaves of vector i, in float64. */
  function errorOf(i: number, code: Uint8Array, of: Float32Array): number {
    let error = 0;
    for (let v = 0; v < V; v++) {
      let rest = vectors[i * V + v];
      code.forEach((w, m) => {
        rest -= of[(16 * m + w) * V + v];
      });
      error += rest * rest;
    }
    return error;
  }

  function errorsOf(chosen: Uint8Array, of: Float32Array): number[] {
    return Array.from({ length: n }, (_, i) => errorOf(i, chosen.subarray(i * halves, (i + 1) * halves), of));
  }
});

/** The largest squared length of a vector or of a sum of words: errors are differences of such numbers. */
const SIZE = 200;

const mean = (numbers: readonly number[]) => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;
const codeOf = (chosen: Uint8Array, i: number) => chosen.subarray(i * halves, (i + 1) * halves).join();

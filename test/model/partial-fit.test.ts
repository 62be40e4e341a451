import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { type DigitImages, digits } from '../../src/data/digits.ts';
import { encodingNames } from '../../src/encodings/by-name.ts';
import { createEngine } from '../../src/engine/node/index.ts';
import { fit } from '../../src/model/fit.ts';
import { load } from '../../src/model/load.ts';
import { PCAE } from '../../src/model/model.ts';
import { partialFit } from '../../src/model/partial-fit.ts';
import { asRows } from '../../src/rows/input.ts';
import { memorySource } from '../../src/rows/memory.ts';
import { entry, type Rows, sliceRows } from '../../src/rows/rows.ts';
import { lowRankRows } from '../low-rank.ts';
import { holds } from '../property.ts';
import { toyRows } from '../training/toy.ts';

const engine = await createEngine({ threads: 1 });
afterAll(() => engine.close());

/** X E^T / n at these codes, in plain float64; the bias unit last. */
function correlations(rows: Rows, codes: Float32Array, H: number): Float64Array {
  const B = new Float64Array(rows.V * (H + 1));
  for (let i = 0; i < rows.n; i++) {
    for (let v = 0; v < rows.V; v++) {
      const x = entry(rows, i, v) / rows.n;
      for (let h = 0; h < H; h++) B[v * (H + 1) + h] += x * codes[i * H + h];
      B[v * (H + 1) + H] += x;
    }
  }
  return B;
}

/** The mean loss of rows at codes that are given, under a model's weights, in plain float64. */
function lossAt(model: PCAE, rows: Rows, codes: Float32Array): number {
  const { V, H, W, reconstructionLoss: loss } = model;
  let sum = 0;
  for (let i = 0; i < rows.n; i++) {
    for (let v = 0; v < V; v++) {
      let m = W[v * (H + 1) + H];
      for (let h = 0; h < H; h++) m += W[v * (H + 1) + h] * codes[i * H + h];
      sum += 0.5 * (loss.psi(m) - entry(rows, i, v) * m);
    }
  }
  return sum / rows.n;
}

describe('partialFit', () => {
  it('never makes rows of the same kind worse by more than a hundredth, however many there are', () =>
    holds(
      fc.asyncProperty(
        fc.record({
          seed: fc.integer({ min: 1, max: 1e6 }),
          n: fc.integer({ min: 60, max: 600 }),
          V: fc.integer({ min: 10, max: 60 }),
          H: fc.integer({ min: 1, max: 4 }),
          m: fc.constantFrom(1, 3, 10, 30, 100, 1000),
        }),
        async ({ seed, n, V, H, m }) => {
          const rows = lowRankRows(n + m + 400, V, seed);
          const [learned, fresh] = [sliceRows(rows, 0, n), sliceRows(rows, n, n + m)];
          const test = sliceRows(rows, n + m, rows.n);
          const model = await fit(learned, { H, epochs: 40, engine });
          const next = await partialFit(model, fresh, { engine });
          const [before, after] = [await model.loss(test, { engine }), await next.loss(test, { engine })];
          expect(after).toBeLessThan(1.01 * before);
          expect(next.training.n).toBe(n + m);
        },
      ),
      // Few columns, and rows that cost less than others of their kind: learned from as they ask, they do
      // harm.
      {
        ...{ seed: 3, numRuns: 15 },
        examples: [
          [{ seed: 1, n: 123, V: 12, H: 3, m: 10 }],
          [{ seed: 465515, n: 439, V: 10, H: 3, m: 30 }],
          [{ seed: 16, n: 596, V: 10, H: 4, m: 10 }],
        ],
      },
    ));

  it('holds on to weights of pictures, whose codes are nothing like normal', async () => {
    const { train, test } = digits({ train: 1600, test: 300 });
    const rowsOf = ({ images }: DigitImages) =>
      asRows({ data: images.map((grey) => Number(grey > 127)), n: images.length / 784, V: 784 });
    const rows = rowsOf(train);
    const model = await fit(sliceRows(rows, 0, 1500), { H: 16, epochs: 5, engine });
    const before = await model.loss(rowsOf(test), { engine });
    const next = await partialFit(model, sliceRows(rows, 1500, 1600), { engine });
    expect(await next.loss(rowsOf(test), { engine })).toBeLessThan(1.005 * before);
  });

  it.each([5, 11, 23])(
    'takes a thousand rows one at a time most of the way of one call with all, each within a hundredth: table %i',
    async (seed) => {
      const rows = lowRankRows(1700, 20, seed);
      const test = sliceRows(rows, 1300, 1700);
      const lossOf = (model: PCAE) => model.loss(test, { engine });
      const first = await fit(sliceRows(rows, 0, 300), { H: 3, engine });
      const start = await lossOf(first);
      let [model, before] = [first, start];
      for (let i = 0; i < 1000; i++) {
        model = await partialFit(model, sliceRows(rows, 300 + i, 301 + i), { engine });
        if (i % 10 < 9) continue;
        const now = await lossOf(model);
        expect(now).toBeLessThan(1.01 * before);
        expect(now).toBeLessThan(1.01 * start);
        before = now;
      }
      const batch = await lossOf(await partialFit(first, sliceRows(rows, 300, 1300), { engine }));
      expect(batch).toBeLessThan(0.99 * start);
      expect(start - (await lossOf(model))).toBeGreaterThan(0.6 * (start - batch));
      expect(model.training.n).toBe(1300);
    },
  );

  it('remembers the mean of all correlations, and proves what the rows before may have lost', async () => {
    const [rows, fresh] = [toyRows(200), toyRows(50, 9)];
    const H = 4;
    const model = await fit(rows, { H, epochs: 20, engine });
    const next = await partialFit(model, fresh, { engine });
    const { codes, losses } = await next.encode(fresh, { engine });
    const added = correlations(fresh, codes, H);
    next.B.forEach((b, k) => {
      expect(b).toBeCloseTo((200 * model.B[k] + 50 * added[k]) / 250, 5);
    });
    const old = lossAt(next, rows, model.trainingCodes!);
    const whole = (200 * old + losses.reduce((sum, loss) => sum + loss, 0)) / 250;
    expect(next.guarantee().bound).toBeGreaterThanOrEqual(whole);
    expect(Math.abs(next.training.loss - whole)).toBeLessThan(0.05 * whole);
    const copy = load(next.save(), { as: PCAE });
    expect(copy.guarantee()).toEqual(next.guarantee());
    expect(copy.moments).toEqual(next.moments);
  });

  it.each(encodingNames)('learns on with codes of every kind: %s', async (encoding) => {
    const rows = toyRows(600, 3);
    const test = toyRows(200, 5);
    const model = await fit(sliceRows(rows, 0, 300), { H: 4, encoding, epochs: 30, engine });
    const before = await model.loss(test, { engine });
    const one = await partialFit(model, sliceRows(rows, 300, 301), { engine });
    expect(one.encoding).toBe(encoding);
    expect(await one.loss(test, { engine })).toBeLessThan(1.01 * before);
    const many = await partialFit(model, sliceRows(rows, 300, 600), { engine });
    expect(await many.loss(test, { engine })).toBeLessThan(1.005 * before);
  });

  it('learns from a source as from its rows, and from rows with gaps and weighted columns', async () => {
    const rows = toyRows(100, 3);
    const columnWeights = Float32Array.from({ length: rows.V }, (_, v) => (v % 3) / 2);
    const known = Uint8Array.from(
      { length: (rows as { bits: Uint8Array }).bits.length },
      (_, k) => 255 - (k % 7),
    );
    const gaps = { ...rows, known } as Rows;
    const model = await fit(rows, { H: 3, epochs: 10, columnWeights, engine });
    const next = await partialFit(model, gaps, { engine });
    expect((await partialFit(model, memorySource(gaps), { engine })).W).toEqual(next.W);
    expect(next.W.every(Number.isFinite)).toBe(true);
    expect(await next.loss(rows, { engine })).toBeLessThan(1.02 * (await model.loss(rows, { engine })));
  });

  it('refuses options of fit, rows of another width, and no rows', async () => {
    const rows = toyRows(60);
    const model = await fit(rows, { H: 2, epochs: 2, engine });
    await expect(partialFit(model, rows, { H: 4 } as object)).rejects.toThrow(/there is no option 'H'/);
    await expect(partialFit(model, lowRankRows(5, 7, 1), { engine })).rejects.toThrow(/columns/);
    const { moments: _, ...old } = model;
    await expect(partialFit(new PCAE(old), rows, { engine })).rejects.toThrow(/moments of its codes/);
    const controller = new AbortController();
    controller.abort();
    await expect(partialFit(model, rows, { engine, signal: controller.signal })).rejects.toThrow(/abort/i);
  });
});

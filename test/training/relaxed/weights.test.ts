import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Engine, FORBIDDEN } from '../../../src/engine/engine.ts';
import { createEngine } from '../../../src/engine/node/index.ts';
import { referenceEngine } from '../../../src/engine/reference/engine.ts';
import {
  chosenWeights,
  correlations,
  costWeighted,
  crossEntropy,
  matrix,
  relaxedWeights,
  row,
  slackGradient,
  squared,
  worstCaseBound,
} from '../../../src/math.ts';
import { fit } from '../../../src/model/fit.ts';
import type { PCAE } from '../../../src/model/model.ts';
import { partialFit } from '../../../src/model/partial-fit.ts';
import { entry, type Rows, takeRows } from '../../../src/rows/rows.ts';
import { residentData, type TrainingExtras } from '../../../src/training/data.ts';
import { relaxedGap } from '../../../src/training/relaxed/certificate.ts';
import { relaxWeights } from '../../../src/training/relaxed/weights.ts';
import { toyRows } from '../toy.ts';

const rows = toyRows(300);
let engine: Engine;
let model: PCAE;
const l1: number[] = Array.from({ length: rows.V }, (_, v) => (v % 7 === 0 ? 0.1 : 0.01));
beforeAll(async () => {
  engine = await createEngine({ threads: 1 });
  model = await fit(rows, { H: 5, epochs: 10, l1, engine });
});
afterAll(() => engine.close());

const zeros = (values: ArrayLike<number>) => Array.from(values).filter((w) => w === 0).length / values.length;

/** The training codes with the bias unit's constant, the rows, and their correlations, in float64. */
function problemOf({ trainingCodes, H }: PCAE, data: Rows) {
  const { n, V } = data;
  const E = matrix(n, H + 1);
  const X = matrix(n, V);
  for (let i = 0; i < n; i++) {
    for (let h = 0; h <= H; h++) row(E, i)[h] = h < H ? trainingCodes![i * H + h] : 1;
    for (let v = 0; v < V; v++) row(X, i)[v] = entry(data, i, v);
  }
  return { E, B: correlations(X, E) };
}

describe('weights for relaxed correlations', () => {
  it('are the optimum of the relaxed game for the codes returned, to within the gap proven', () => {
    const { E, B } = problemOf(model, rows);
    const eps = Float64Array.from(l1);
    const W = matrix(rows.V, 6, model.W);
    const reached = worstCaseBound(crossEntropy, E, B, W, eps);
    const best = worstCaseBound(crossEntropy, E, B, relaxedWeights(crossEntropy, E, B, eps), eps);
    const { weightGap } = model.training;
    expect(weightGap).toBeLessThan(0.02 * reached);
    expect(reached - best).toBeGreaterThanOrEqual(-1e-6);
    expect(reached - best).toBeLessThanOrEqual(weightGap! + 1e-6);
  });

  it('are exactly zero in many places, more of them for bits with a larger eps_v', () => {
    const width = model.H + 1;
    const share = (chosen: (v: number) => boolean) =>
      zeros(model.W.filter((_, i) => chosen(Math.floor(i / width))));
    expect(share((v) => v % 7 !== 0)).toBeGreaterThan(0.1);
    expect(share((v) => v % 7 === 0)).toBeGreaterThan(share((v) => v % 7 !== 0));
  });

  it('keep codes in the box, certified, and equal to those of encoding the rows again', async () => {
    const codes = model.trainingCodes!;
    expect(codes.every((e) => Math.abs(e) <= 1)).toBe(true);
    const again = await model.encode(rows, { engine });
    expect(again.codes).toEqual(codes);
    expect(Math.max(...again.gaps)).toBeLessThanOrEqual(0.01);
  });

  it('have the value of the game as their guarantee under the drift that they were learned for', () => {
    const { bound, driftCosts, driftCost } = model.guarantee(l1);
    expect(driftCosts).toHaveLength(rows.V);
    expect(driftCosts.reduce((a, b) => a + b, 0)).toBeCloseTo(driftCost, 9);
    const { E, B } = problemOf(model, rows);
    const value = worstCaseBound(crossEntropy, E, B, matrix(rows.V, 6, model.W), Float64Array.from(l1));
    expect(Math.abs(bound - value)).toBeLessThan(1e-3 * value);
  });

  it('learn on with the weights that are there', async () => {
    const next = await partialFit(model, rows, { engine });
    expect(next.training.l1).toEqual(l1);
    expect(next.W.every((w, k) => w === 0 || model.W[k] !== 0)).toBe(true);
  });

  it.each([
    [{ l1: -1 }, /l1 must be at least 0, got -1/],
    [{ l1: [0.1, 0.2] }, /one for each of 196 columns, got 2/],
    [
      { l1: 0.1, encoding: 'real' as const },
      /encoding 'real' and l1 exclude each other: sparse weights need box codes/,
    ],
    [{ l1: 0.1, algorithm: 'paper' as const }, /algorithm 'paper' and l1 exclude each other/],
    [{ l1: 0.1, encoding: 'bits' as const }, /codes of bits have no L1 penalty/],
  ])('refuses %j', async (options, message) => {
    await expect(fit(rows, { H: 2, ...options, engine })).rejects.toThrow(message);
  });

  it('refuses a number that is none, and says for which column', async () => {
    const broken = l1.with(3, Number.NaN);
    await expect(fit(rows, { H: 2, l1: broken, engine })).rejects.toThrow(/got NaN for column 3/);
  });
});

describe('weights for correlations of which some are exact (eps_v = 0)', () => {
  it('are counted in what is proven', async () => {
    const some = l1.map((eps, v) => (v % 3 === 0 ? 0 : eps));
    const rows = toyRows(120);
    const mixed = await fit(rows, { H: 5, epochs: 10, l1: some, engine });
    const { E, B } = problemOf(mixed, rows);
    const eps = Float64Array.from(some);
    const reached = worstCaseBound(crossEntropy, E, B, matrix(rows.V, 6, mixed.W), eps);
    const best = worstCaseBound(crossEntropy, E, B, relaxedWeights(crossEntropy, E, B, eps), eps);
    expect(mixed.training.weightGap).toBeGreaterThanOrEqual(reached - best - 1e-6);
    expect(mixed.training.weightGap).toBeLessThan(reached - best + 0.02 * reached);
  });
});

describe('the solver under weights', () => {
  const few = toyRows(60);
  const { n, V } = few;
  const codes = Float32Array.from({ length: n * 4 }, (_, i) => (i % 4 === 3 ? 1 : Math.sin(1.7 * i)));
  /** The weights for the rows and codes in the order given. */
  const solve = async (order: readonly number[], weights: TrainingExtras, price = 0.01) => {
    const data = residentData(engine, takeRows(few, order), 1, weights);
    const [W, E] = [engine.floats(V * 4), engine.floats(order.length * 4)];
    data.order!.forEach((from, to) => {
      E.write(codes.subarray(order[from] * 4, order[from] * 4 + 4), to * 4);
    });
    const prices = new Float32Array(V * 4).fill(price);
    const problem = { data, shape: { V, H: 3, bias: true }, W, E, loss: crossEntropy, prices };
    await relaxWeights(engine, problem, { tolerance: 1e-6 });
    const found = await W.read();
    for (const used of [W, E]) used.free();
    data.close();
    return found;
  };
  const all = Array.from({ length: n }, (_, i) => i);

  it('steps in the same way whatever unit the loss is in', async () => {
    const plain = await solve(all, {});
    const columnWeights = new Float32Array(V).fill(1 / 64);
    const other = await solve(all, { columnWeights }, 0.01 / 64);
    // Multiply-adds that round once (Node 22 and later) tell the units apart in the last digit, and nowhere
    // else.
    other.forEach((w, k) => {
      expect(Math.abs(w - plain[k])).toBeLessThanOrEqual(1e-6 * Math.abs(plain[k]));
    });
  });

  it('takes a row of weight 20 for twenty rows', async () => {
    const counts = all.map((i) => (i < 5 ? 20 : 1));
    const mean = counts.reduce((a, b) => a + b, 0) / n;
    const weighted = await solve(all, { rowWeights: Float32Array.from(counts, (count) => count / mean) });
    const repeated = await solve(
      all.flatMap((i) => new Array<number>(counts[i]).fill(i)),
      {},
    );
    weighted.forEach((w, k) => {
      expect(Math.abs(w - repeated[k])).toBeLessThan(1e-3 * (1 + Math.abs(w)));
    });
  });
});

describe.each([crossEntropy, squared, costWeighted(crossEntropy, { falseOne: 1, falseZero: 3 })])(
  'the solver behind it: $name',
  (loss) => {
    it.each(['wasm', 'reference'])('finds the oracle weights and proves it (%s engine)', async (name) => {
      const used = name === 'wasm' ? engine : referenceEngine();
      const few = toyRows(40);
      const n = few.n;
      const V = few.V;
      const codes = Float32Array.from({ length: n * 4 }, (_, i) => (i % 4 === 3 ? 1 : Math.sin(1.7 * i)));
      const mask = Uint8Array.from({ length: V * 4 }, (_, i) => (i % 4 === 3 || i % 5 > 0 ? 1 : 0));
      const eps = new Float64Array(V).fill(0.03);
      const data = residentData(used, few, 1);
      const [W, E] = [used.floats(V * 4), used.floats(n * 4)];
      const placed = Float32Array.from(codes);
      for (const [to, from] of data.order!.entries()) {
        placed.set(codes.subarray(from * 4, from * 4 + 4), to * 4);
      }
      E.write(placed);
      const prices = Float32Array.from(mask, (chosen) => (chosen ? 0.015 : FORBIDDEN));
      const problem = { data, shape: { V, H: 3, bias: true }, W, E, loss, prices };
      await relaxWeights(used, problem, { tolerance: 1e-6 });
      const X = matrix(
        n,
        V,
        Float64Array.from({ length: n * V }, (_, k) => entry(few, Math.floor(k / V), k % V)),
      );
      const E64 = matrix(n, 4, codes);
      const B = correlations(X, E64);
      const oracle = chosenWeights(loss, E64, B, mask, { eps });
      const reached = worstCaseBound(loss, E64, B, matrix(V, 4, await W.read()), eps);
      const best = worstCaseBound(loss, E64, B, oracle, eps);
      const gap = await relaxedGap(used, problem);
      expect(reached - best).toBeLessThan(1e-3);
      expect(gap).toBeGreaterThanOrEqual(reached - best - 1e-6);
      expect(gap).toBeLessThan(0.02);
      expect((await W.read()).every((w, k) => mask[k] === 1 || w === 0)).toBe(true);
      expect(
        Math.abs(zeros(await W.read()) - zeros(oracle.data.map((w) => (Math.abs(w) < 1e-7 ? 0 : w)))),
      ).toBeLessThan(0.02);
      // The optimality conditions: hallucinated correlations are within eps_v of B, and off by eps_v where w
      // is not zero.
      const found = await W.read();
      for (let v = 0; v < V; v++) {
        const residuals = slackGradient(
          loss,
          E64,
          Float64Array.from(found.subarray(4 * v, 4 * v + 4)),
          row(B, v),
        );
        residuals.forEach((residual, h) => {
          const w = found[4 * v + h];
          if (w !== 0) expect(Math.abs(residual + Math.sign(w) * 0.03)).toBeLessThan(1e-3);
          else if (mask[4 * v + h]) expect(Math.abs(residual)).toBeLessThan(0.031);
        });
      }
      data.close();
    });
  },
);

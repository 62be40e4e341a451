import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { referenceEngine } from '../../src/engine/reference/engine.ts';
import { createWasmEngine } from '../../src/engine/wasm/engine.ts';
import { crossEntropy } from '../../src/losses/cross-entropy.ts';
import { hamming } from '../../src/losses/hamming.ts';
import type { Loss } from '../../src/losses/loss.ts';
import { squared } from '../../src/losses/squared.ts';
import { minimiseWells } from '../../src/math/minimise.ts';
import {
  bitLoss,
  correlations,
  hallucinatedCorrelations,
  type Matrix,
  matrix,
  meanLoss,
  optimalWeights,
  reconstruct,
  relaxedWeights,
  row,
  worstCaseBound,
} from '../../src/math.ts';
import { fitDecoder } from '../../src/model/decoder.ts';
import { fit } from '../../src/model/fit.ts';
import { load } from '../../src/model/load.ts';
import { PCAE } from '../../src/model/model.ts';
import { partialFit } from '../../src/model/partial-fit.ts';
import { entry, type Rows, takeRows } from '../../src/rows/rows.ts';
import { takeColumns } from '../../src/rows/select.ts';
import { gaussians } from '../../src/solvers/gaussians.ts';
import { scalingOf, standardised, toStandard } from '../../src/training/decoder/standard-codes.ts';
import { holds } from '../property.ts';
import { toyRows } from '../training/toy.ts';

const engine = await createWasmEngine();

/** Codes with wildly different scales, off centre and correlated, as somebody's own may be. */
function oddCodes(n: number, H: number, seed = 5): Float32Array {
  const noise = gaussians(n * H, seed);
  return Float32Array.from(noise, (z, k) => {
    const h = k % H;
    const mixed = h > 0 ? 0.8 * noise[k - 1] + 0.6 * z : z;
    return 10 ** (h - 1) * (mixed + 3 * h);
  });
}

function asMatrix(rows: Rows): Matrix {
  return matrix(
    rows.n,
    rows.V,
    Float64Array.from({ length: rows.n * rows.V }, (_, k) => entry(rows, Math.floor(k / rows.V), k % rows.V)),
  );
}

describe('fitDecoder', () => {
  const n = 60;
  const H = 3;
  const rows = takeRows(
    toyRows(n),
    Uint32Array.from({ length: n }, (_, i) => i),
  );
  const codes = oddCodes(n, H);
  const ridge = 1e-3;

  const X = asMatrix(rows);
  const E = withOnes(codes, H);

  it.each([crossEntropy, squared])('finds the minimum of Theorem 1 for $name', async (loss) => {
    const fitted = await fitDecoder(codes, rows, { engine, ridge, loss, tolerance: 1e-4 });
    // The oracle minimises gamma + (ridge/2) |w|^2 itself, not its half, on codes of unit deviation.
    const Z = matrix(n, H + 1, standardised(codes, scalingOf({ codes, H }, true)));
    const W = optimalWeights(loss, Z, correlations(X, Z), { ridge: 2 * ridge });
    const best = worstCaseBound(loss, Z, correlations(X, Z), W);
    expect(fitted.weightGap).toBeLessThan(1e-4);
    expect(Math.abs(fitted.loss - best)).toBeLessThan(0.01);
    const standard = reconstruct(loss, W, Z).data;
    const decoded = await fitted.decode(codes);
    for (let k = 0; k < decoded.length; k++) expect(Math.abs(decoded[k] - standard[k])).toBeLessThan(0.01);
  });

  it('reports the slack, which is the loss of the rows, at the weights it gives back', async () => {
    const fitted = await fitDecoder(codes, rows, { engine, ridge });
    const W = matrix(rows.V, H + 1, fitted.W);
    expect(worstCaseBound(crossEntropy, E, correlations(X, E), W)).toBeCloseTo(fitted.loss, 8);
    const reconstructions = reconstruct(crossEntropy, W, E);
    expect(meanLoss(crossEntropy, X, reconstructions)).toBeCloseTo(fitted.loss, 8);
    expect(fitted.guarantee().bound).toBe(fitted.loss);
    expect(fitted.guarantee(0.01).bound).toBeGreaterThan(fitted.loss);
  });

  it.each([{}, { rowWeights: Array.from({ length: n }, (_, i) => 1 + (i % 2)) }])(
    'proves the loss itself, whatever the size of weights: %j',
    async (counted) => {
      const fitted = await fitDecoder(codes, rows, { engine, ...counted });
      const order = Array.from({ length: n }, (_, i) => i).flatMap((i) =>
        counted.rowWeights?.[i] === 2 ? [i, i] : [i],
      );
      const Z = matrix(n, H + 1, standardised(codes, scalingOf({ codes, H }, true)));
      const taken = (M: Matrix) =>
        matrix(
          order.length,
          M.cols,
          Float64Array.from(order.flatMap((i) => [...M.data.subarray(i * M.cols, (i + 1) * M.cols)])),
        );
      const [rowsTaken, codesTaken] = [taken(X), taken(Z)];
      const B = correlations(rowsTaken, codesTaken);
      const W = optimalWeights(crossEntropy, codesTaken, B, { ridge: 1e-7 });
      const gained = fitted.loss - worstCaseBound(crossEntropy, codesTaken, B, W);
      expect(gained).toBeGreaterThan(0);
      expect(fitted.slackGap).toBeGreaterThanOrEqual(gained);
      expect(fitted.slackGap).toBeLessThan(2 * gained + 0.01 * fitted.loss);
    },
  );

  it('makes the hallucinated correlations equal to B, up to the ridge and the residual', async () => {
    const fitted = await fitDecoder(codes, rows, { engine, ridge: 1e-6, tolerance: 1e-3 });
    const scaling = scalingOf({ codes, H }, true);
    const Z = matrix(n, H + 1, standardised(codes, scaling));
    const W = matrix(rows.V, H + 1, toStandard(fitted.W, scaling));
    const [made, found] = [hallucinatedCorrelations(crossEntropy, W, Z), correlations(X, Z)];
    for (let k = 0; k < made.data.length; k++) {
      const pull = 2e-6 * Math.abs(W.data[k]);
      expect(Math.abs(made.data[k] - found.data[k])).toBeLessThan(fitted.residual + pull + 1e-5);
    }
  });

  it('does not depend on the scale of the codes', async () => {
    const first = await fitDecoder(codes, rows, { engine, ridge, tolerance: 1e-4 });
    const scaled = codes.map((value, k) => 2 ** ((k % H) - 1) * value);
    const second = await fitDecoder(scaled, rows, { engine, ridge, tolerance: 1e-4 });
    expect(second.loss).toBeCloseTo(first.loss, 3);
    const [a, b] = [await first.decode(codes), await second.decode(scaled)];
    for (let k = 0; k < a.length; k++) expect(Math.abs(a[k] - b[k])).toBeLessThan(0.01);
  });

  it('needs nothing of the rows but B', async () => {
    const first = await fitDecoder(codes, rows, { engine, ridge, tolerance: 1e-4 });
    const B = correlations(X, E).data;
    const second = await fitDecoder({ codes, B, V: rows.V }, { engine, ridge, tolerance: 1e-4 });
    expect(second.weightGap).toBeLessThan(1e-4);
    expect(second.loss).toBeCloseTo(first.loss, 3);
  });

  it('counts a row of weight 2 as the row twice, and a row of weight 0 not at all', async () => {
    await holds(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 2 }), { minLength: n, maxLength: n }),
        async (w) => {
          fc.pre(w.some((weight) => weight > 0));
          const order = w.flatMap((weight, i) => new Array<number>(weight).fill(i));
          const repeated = Float32Array.from(order.flatMap((i) => [...codes.subarray(i * H, (i + 1) * H)]));
          const options = { engine, ridge, tolerance: 1e-4 };
          const first = await fitDecoder(codes, rows, { ...options, rowWeights: w });
          const second = await fitDecoder(repeated, takeRows(rows, order), options);
          expect(first.weightGap).toBeLessThan(1e-4);
          expect(first.loss).toBeCloseTo(second.loss, 3);
          first.B.forEach((b, k) => {
            expect(Math.abs(b - second.B[k])).toBeLessThan(1e-5 * (1 + Math.abs(b)));
          });
        },
      ),
      { seed: 3, numRuns: 5 },
    );
  });

  it('leaves missing entries out', async () => {
    const values = Float32Array.from(X.data, (x, k) => (k % 7 === 0 ? Number.NaN : x));
    const holes: Rows = { kind: 'real', n, V: rows.V, values };
    const fitted = await fitDecoder(codes, holes, { engine, ridge });
    const W = matrix(rows.V, H + 1, fitted.W);
    const decoded = reconstruct(crossEntropy, W, E);
    let loss = 0;
    values.forEach((x, k) => {
      if (!Number.isNaN(x)) loss += bitLoss(crossEntropy, x, decoded.data[k]) / n;
    });
    expect(fitted.loss).toBeCloseTo(loss, 6);
    expect(fitted.weightGap).toBeLessThan(0.01);
  });

  it('is a model that can be kept and used', async () => {
    const { model, decode } = await fitDecoder(codes, rows, { engine, ridge });
    const loaded = load(model.save(), { as: PCAE });
    expect(loaded.training.algorithm).toBe('decoder');
    expect(await loaded.decode(codes, { engine })).toEqual(await decode(codes));
    // Optimal codes for this decoder can only be better than those that were given.
    expect((await loaded.evaluate(rows, { engine })).loss).toBeLessThan(model.training.loss);
  });

  it('works without a bias unit and on the reference engine', async () => {
    const few = takeRows(rows, [0, 1, 2, 3, 4, 5, 6, 7]);
    const some = codes.subarray(0, 8 * H);
    const options = { bias: false, ridge, tolerance: 1e-3 };
    const fast = await fitDecoder(some, few, { ...options, engine });
    const plain = await fitDecoder(some, few, { ...options, engine: referenceEngine() });
    expect(fast.W).toHaveLength(rows.V * H);
    expect(fast.loss).toBeCloseTo(plain.loss, 2);
  });

  it('relaxes the correlations, with exact zeros where the oracle has them (App. C.1)', async () => {
    const few = takeColumns(rows, [100, 105, 110, 118]);
    const small = codes.map((value, k) => value / 10 ** ((k % H) - 1));
    const eps = Float64Array.of(0.05, 0.1, 0.2, 0.4);
    const fitted = await fitDecoder(small, few, { engine, bias: false, l1: eps, tolerance: 1e-3 });
    const E0 = matrix(n, H, small);
    const B0 = correlations(asMatrix(few), E0);
    const oracle = relaxedWeights(crossEntropy, E0, B0, eps);
    const bound = (W: Matrix) => worstCaseBound(crossEntropy, E0, B0, W, eps);
    expect(bound(matrix(4, H, fitted.W))).toBeLessThan(bound(oracle) + 1e-3);
    expect(fitted.weightGap).toBeLessThan(1e-2);
    expect(bound(matrix(4, H, fitted.W)) - fitted.weightGap).toBeLessThan(bound(oracle) + 1e-6);
    oracle.data.forEach((w, k) => {
      if (Math.abs(w) < 1e-6) expect(Math.abs(fitted.W[k])).toBeLessThan(1e-3);
    });
    expect(fitted.W.filter((w) => w === 0).length).toBeGreaterThan(0);
  });

  it.each([
    ['a free bias', [0.01, 0.05, 0.1, 0.2]],
    ['a free bias and bits with eps_v = 0', [0, 0.05, 0, 0.2]],
  ])('proves how far relaxed weights are from the best, with %s', async (_, eps) => {
    const few = takeColumns(rows, [100, 105, 110, 118]);
    const small = codes.map((value, k) => value / 10 ** ((k % H) - 1));
    const E0 = withOnes(small, H);
    const B0 = correlations(asMatrix(few), E0);
    const objective = (W: ArrayLike<number>) => {
      const weights = matrix(4, H + 1, Float64Array.from(W));
      const penalty = Array.from(W).reduce(
        (sum, w, k) => sum + (k % (H + 1) < H ? (eps[Math.floor(k / (H + 1))] / 2) * Math.abs(w) : 0),
        0,
      );
      return worstCaseBound(crossEntropy, E0, B0, weights) + penalty;
    };
    const best = objective(bestWithFreeBias(E0, B0, eps));
    // Hardly any steps, a few, and as many as help.
    for (const tolerance of [1000, 0.1, 1e-4]) {
      const { W, weightGap: gap } = await fitDecoder(small, few, { engine, l1: eps, tolerance });
      expect(gap).toBeGreaterThanOrEqual(objective(W) - best - 1e-7);
      expect(gap).toBeLessThan(1.1 * (objective(W) - best) + 1e-3);
      if (tolerance === 1000) expect(gap).toBeGreaterThan(0.01);
    }
  });

  it.each([squared, hamming])('proves no more than there is for $name', async (loss) => {
    const few = takeColumns(rows, [100, 105, 110, 118]);
    const small = codes.map((value, k) => value / 10 ** ((k % H) - 1));
    const E0 = withOnes(small, H);
    const B0 = correlations(asMatrix(few), E0);
    const eps = [0, 0.05, 0.1, 0.2];
    const { W, weightGap: gap } = await fitDecoder(small, few, { engine, l1: eps, loss });
    const objective = (weights: ArrayLike<number>) =>
      Array.from(weights).reduce(
        (sum, w, k) => sum + (k % (H + 1) < H ? (eps[Math.floor(k / (H + 1))] / 2) * Math.abs(w) : 0),
        worstCaseBound(loss, E0, B0, matrix(4, H + 1, Float64Array.from(weights))),
      );
    const off = objective(W) - objective(bestWithFreeBias(E0, B0, eps, loss));
    expect(gap).toBeGreaterThanOrEqual(off - 1e-6);
    expect(gap).toBeLessThan(loss === hamming ? objective(W) + 1e-6 : off + 1e-3);
  });

  it('goes on until the next step hardly helps', async () => {
    // Codes that say nearly all there is to know, so that weights are large.
    const many = toyRows(300);
    const { trainingCodes } = await fit(many, { H: 12, epochs: 10, encoding: 'real', engine });
    const options = { engine, l1: 0.001, tolerance: 1e-3 };
    const { weightGap: gap, loss } = await fitDecoder(trainingCodes!, many, options);
    expect(gap).toBeLessThan(0.02 * loss);
  });

  it('proves the same of rows with weights as of rows that are there more than once', async () => {
    const small = codes.map((value, k) => value / 10 ** ((k % H) - 1));
    const values = Float32Array.from(asMatrix(takeColumns(rows, [100, 105, 110])).data, (x, k) =>
      k % 7 === 0 ? Number.NaN : x,
    );
    const holes: Rows = { kind: 'real', n, V: 3, values };
    const rowWeights = Array.from({ length: n }, (_, i) => i % 4);
    const order = rowWeights.flatMap((weight, i) => new Array<number>(weight).fill(i));
    const repeated = Float32Array.from(order.flatMap((i) => [...small.subarray(i * H, (i + 1) * H)]));
    const l1 = [0, 0.02, 0.1];
    const first = await fitDecoder(small, holes, { engine, l1, rowWeights, tolerance: 1e-3 });
    const second = await fitDecoder(repeated, takeRows(holes, order), { engine, l1, tolerance: 1e-3 });
    expect(first.weightGap).toBeLessThan(1e-3);
    expect(second.weightGap).toBeLessThan(1e-3);
    expect(first.loss).toBeCloseTo(second.loss, 2);
  });

  it('proves what it can of bits that the codes tell without error, which have no best weights', async () => {
    const some = Float32Array.from({ length: n * 2 }, (_, k) => Math.sin(1.3 * k));
    const values = Float32Array.from({ length: n * 3 }, (_, k) =>
      k % 3 === 0 ? -1 : Math.sign(some[2 * Math.floor(k / 3)] + (k % 3) / 7),
    );
    const told: Rows = { kind: 'real', n, V: 3, values };
    const { weightGap: gap, loss } = await fitDecoder(some, told, { engine, l1: new Float64Array(3) });
    // Larger weights come as close to 0 as one likes.
    expect(Math.abs(gap - loss)).toBeLessThan(1e-6);
  });

  it('names what is wrong', async () => {
    await expect(fitDecoder(codes.subarray(1), rows, { engine })).rejects.toThrow(/60 rows, got 179 numbers/);
    const broken = codes.slice();
    broken[4] = Number.NaN;
    await expect(fitDecoder(broken, rows, { engine })).rejects.toThrow(/NaN in row 1, unit 1/);
    await expect(fitDecoder(codes, rows, { engine, ridge: -1 })).rejects.toThrow(/ridge must be at least 0/);
    await expect(fitDecoder(codes, rows, { engine, rowWeights: [1] })).rejects.toThrow(/60 rows, got 1/);
    const B = new Float32Array(7);
    await expect(fitDecoder({ codes, B, V: 3 }, { engine })).rejects.toThrow(
      /B must have V = 3 rows of H \+ 1/,
    );
    const refused = (options: object, message: RegExp) =>
      expect(fitDecoder(codes, rows, { engine, ...options })).rejects.toThrow(message);
    await refused(
      { encoding: 'foo' },
      /encoding must be one of box, real, bits, nonnegative, simplex, ball, got foo/,
    );
    await refused({ loss: 'hamming' }, /loss must be a loss/);
    await refused({ ridge: Number.POSITIVE_INFINITY }, /ridge must be finite/);
    await refused({ l1: Number.NaN }, /l1 must be a number of at least 0/);
    await refused({ encoding: 'box' }, /'box' is not that of these codes: found .* in row 0, unit 1/);
    await refused({ encoding: 'bits' }, /expected -1 or 1/);
    await expect(fitDecoder(undefined as never, rows)).rejects.toThrow(/expected codes and rows/);
  });

  it('refuses correlations that no rows have, and takes those that some have', async () => {
    const signs = Float32Array.from({ length: 40 }, (_, k) => (k % 3 ? 1 : -1));
    const B = new Float32Array(6).fill(5);
    await expect(fitDecoder({ codes: signs, B, V: 2 }, { engine })).rejects.toThrow(
      /B holds 5 for bit 0, unit 0; no rows .* by more than 1$/,
    );
    // Of a unit that is 1 in a third of what counts, and 0 else, a third is the most; of the bias unit, 1.
    const rare = Float32Array.of(1, 0);
    const options = { engine, rowWeights: [1, 2] };
    const fitted = await fitDecoder({ codes: rare, B: Float32Array.of(1 / 3, 1), V: 1 }, options);
    expect(fitted.loss).toBeGreaterThan(0);
    await expect(fitDecoder({ codes: rare, B: Float32Array.of(0.34, 1), V: 1 }, options)).rejects.toThrow(
      /bit 0, unit 0/,
    );
  });

  it('costs next to nothing by its ridge, where none is given, for codes that ask for large weights', async () => {
    const model = await fit(rows, { H: 6, engine });
    const { codes: own } = await model.encode(rows, { engine });
    const fitted = await fitDecoder(own, rows, { engine });
    const free = await fitDecoder(own, rows, { engine, ridge: 1e-8 });
    expect(fitted.loss).toBeLessThan(1.01 * free.loss);
    expect(fitted.slackGap).toBeLessThan(0.01 * fitted.loss);
    expect(fitted.model.training.ridge).toBeLessThan(0.6 / rows.n);
    await expect(fitDecoder({ codes: own, H: 6, n: rows.n } as never)).rejects.toThrow(
      /\{ codes, H, n \} holds codes without B; give .* fitDecoder\(codes, rows\)/,
    );
  });

  it('takes codes in any array of numbers', async () => {
    const first = await fitDecoder(codes, rows, { engine });
    expect((await fitDecoder(Float64Array.from(codes), rows, { engine })).W).toEqual(first.W);
    expect((await fitDecoder(Array.from(codes), rows, { engine })).W).toEqual(first.W);
  });

  it('is a model to learn on from, with the weights that its relaxation left', async () => {
    const { model } = await fitDecoder(codes, rows, { engine, l1: 0.01 });
    const next = await partialFit(model, rows, { engine });
    expect(next.W.every((w, k) => (w === 0) === (model.W[k] === 0))).toBe(true);
    expect(load(model.save(), { as: PCAE }).training.l1).toBe(0.01);
  });
});

/** Codes with the constant 1 of the bias unit. */
function withOnes(codes: Float32Array, H: number): Matrix {
  const n = codes.length / H;
  const E = matrix(n, H + 1, new Float64Array(n * (H + 1)).fill(1));
  for (let i = 0; i < n; i++) row(E, i).set(codes.subarray(i * H, (i + 1) * H));
  return E;
}

/**
 * argmin of gamma(w, b_v) + eps_v |w|_1, the last weight left out of the penalty: by the signs' two halves.
 */
function bestWithFreeBias(
  E: Matrix,
  B: Matrix,
  eps: readonly number[],
  loss: Loss = crossEntropy,
): Float64Array {
  const width = E.cols;
  const A = matrix(E.rows, 2 * width);
  for (let i = 0; i < E.rows; i++) {
    row(E, i).forEach((e, h) => {
      row(A, i).set([e], h);
      row(A, i).set([-e], width + h);
    });
  }
  const W = new Float64Array(B.rows * width);
  for (let v = 0; v < B.rows; v++) {
    const c = Float64Array.from({ length: 2 * width }, (_, k) => {
      const h = k % width;
      return (k < width ? 1 : -1) * row(B, v)[h] - (h === width - 1 ? 0 : eps[v]);
    });
    const start = new Float64Array(2 * width);
    const limits = { lower: 0, upper: Number.POSITIVE_INFINITY };
    const { z } = minimiseWells(loss, { A, scale: 1 / E.rows, c, ridge: 0, ...limits, start });
    for (let h = 0; h < width; h++) W[v * width + h] = z[h] - z[width + h];
  }
  return W;
}

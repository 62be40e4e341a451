import { afterAll, describe, expect, it } from 'vitest';
import { createEngine } from '../../src/engine/node/index.ts';
import { sampled } from '../../src/losses/sampled.ts';
import { customLoss, hamming, matrix, encode as oracle } from '../../src/math.ts';
import { fit } from '../../src/model/fit.ts';
import { load } from '../../src/model/load.ts';
import { PCAE } from '../../src/model/model.ts';
import { entry, sliceRows } from '../../src/rows/rows.ts';
import { instances } from '../losses/instances.ts';
import { toyRows } from '../training/toy.ts';

const rows = toyRows(150);
const test = sliceRows(toyRows(40, 5), 0, 12);
const engine = await createEngine({ threads: 1 });
afterAll(() => engine.close());

describe.each(instances)('from rows to codes and back: $loss.name', ({ loss }) => {
  it('fits, proves every code against the oracle, and loads again', async () => {
    const model = await fit(rows, { H: 3, epochs: 6, loss, bias: false, certify: false, engine });
    const { losses, gaps, codes } = await model.encode(test, { engine });
    const W = matrix(model.V, model.H, model.W);
    for (let i = 0; i < test.n; i++) {
      const x = Float64Array.from({ length: test.V }, (_, v) => entry(test, i, v));
      expect(gaps[i]).toBeLessThanOrEqual(0.01);
      // The oracle of the losses with kinks is slow.
      if (i >= (Number.isFinite(loss.curvature) ? 4 : 1)) continue;
      const best = oracle(sampled(loss), W, x).value / 2;
      expect(losses[i] - best).toBeLessThanOrEqual(gaps[i] + 1e-4);
      expect(losses[i]).toBeGreaterThanOrEqual(best - 1e-3);
    }
    const copy = load(model.save(), { as: PCAE, losses: [loss] });
    expect((await copy.encode(test, { engine })).codes).toEqual(codes);
    const report = await copy.evaluate(test, { engine });
    expect(report.uncertified).toBe(0);
    expect(report.hamming).toBeLessThan(test.V / 3);
  });
});

describe('sampled', () => {
  it.each(instances)('is the same loss, and its conjugate is never below: $loss.name', ({ loss }) => {
    const table = sampled(loss);
    for (let m = -9; m <= 9; m += 0.37) {
      // Next to a kink a cell of the table is all that it can tell apart.
      expect(table.psi(m)).toBeCloseTo(loss.psi(m), 4);
      if (Number.isFinite(loss.curvature)) expect(table.psiPrime(m)).toBeCloseTo(loss.psiPrime(m), 4);
    }
    for (let u = -1; u <= 1; u += 0.05) {
      const exact = loss.conjugate(Math.max(-1, Math.min(1, u)));
      const found = table.conjugate(Math.max(-1, Math.min(1, u)));
      expect(found).toBeGreaterThanOrEqual(exact - 1e-9);
      expect(found).toBeLessThan(exact + 1e-4);
    }
    expect(sampled(loss)).toBe(table);
  });
});

describe('a loss with kinks', () => {
  it('is proven where conjugate gradients stop at a kink', async () => {
    const model = await fit(rows, { H: 4, epochs: 8, loss: hamming, certify: false, engine });
    const { gaps } = await model.encode(test, { engine });
    expect(Math.max(...gaps)).toBeLessThanOrEqual(0.01);
  });

  it('without monotone partial losses is refused, with the interval', () => {
    expect(() => customLoss({ name: 'odd', plus: (y) => (y - 0.5) ** 2, minus: (y) => 1 + y })).toThrow(
      /plus must decrease over \[-1, 1\].*between y = 0.5 and y = 1/,
    );
  });
});

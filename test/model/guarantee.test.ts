import { describe, expect, it } from 'vitest';
import { correlations, crossEntropy, reconstruct, squared, worstCaseBound } from '../../src/math.ts';
import { boundForCodes, driftOf, worstCase } from '../../src/model/guarantee.ts';
import type { ModelParts } from '../../src/model/parts.ts';
import { worstCase as adversary } from '../math/adversary.ts';
import { randomMatrices } from '../math/random.ts';

const [n, V, H] = [14, 3, 2];

/** A decoder with correlations remembered from some data, and other data with codes of their own. */
function drifted(seed: number, loss = crossEntropy) {
  const random = randomMatrices(seed);
  const E = random.box(n, H);
  const B = correlations(random.bits(n, V), random.box(n, H));
  const X = random.bits(n, V);
  const W = random.normals(V, H);
  const parts = { V, H, W: W.data, B: B.data, reconstructionLoss: loss, training: { loss: 2 } };
  const model = parts as unknown as ModelParts;
  const own = correlations(X, E);
  // The slack at a data set's own correlations: its loss, or for bounded losses a little more.
  const mean = worstCaseBound(loss, E, own, W);
  return { model, B, E, W, own: own.data, mean };
}

describe.each([crossEntropy, squared])('the bound for drifted correlations, $name', (loss) => {
  it.each([1, 2, 3, 4])('no data within the drift exceeds it (%i)', (seed) => {
    const { model, B, E, W, own, mean } = drifted(seed, loss);
    const bound = boundForCodes(model, mean, own);
    const eps = driftOf(model, own);
    const worst = adversary(loss, E, B, reconstruct(loss, W, E), eps);
    expect(worst).toBeLessThanOrEqual(bound + 1e-7);
  });

  it('is the slack at B and the cost of the drift, and is smaller than with one drift a bit', () => {
    const { model, B, E, W, own, mean } = drifted(5, loss);
    const bound = boundForCodes(model, mean, own);
    const eps = driftOf(model, own);
    const cost = eps.reduce((sum, value, i) => sum + 0.5 * value * Math.abs(model.W[i]), 0);
    expect(bound).toBeCloseTo(worstCaseBound(loss, E, B, W) + cost, 9);
    const perBit = Float64Array.from({ length: V }, (_, v) => Math.max(...eps.subarray(v * H, (v + 1) * H)));
    expect(bound).toBeLessThan(worstCaseBound(loss, E, B, W, perBit));
  });
});

describe('worstCase', () => {
  const { model } = drifted(6);

  it('takes one drift, one a bit or one a correlation', () => {
    const { bound } = worstCase(model, 0.1);
    expect(worstCase(model, new Float64Array(V).fill(0.1)).bound).toBeCloseTo(bound, 12);
    expect(worstCase(model, new Float64Array(V * H).fill(0.1)).bound).toBeCloseTo(bound, 12);
    expect(() => worstCase(model, new Float64Array(5))).toThrow(/each of 3 bits or one for each of 6/);
  });

  it('asks nothing of correlations that are not used, however far they drift', () => {
    const W = model.W.map((w, i) => (i >= 3 ? 0 : w));
    const eps = new Float64Array(V * H).fill(0.1).fill(Number.POSITIVE_INFINITY, 3);
    const finite = new Float64Array(V * H).fill(0.1);
    expect(worstCase({ ...model, W }, eps)).toEqual(worstCase({ ...model, W }, finite));
    const columnWeights = Float32Array.of(1, 1, 0);
    const free = new Float64Array(V).fill(0.1).fill(Number.POSITIVE_INFINITY, 2);
    expect(worstCase({ ...model, columnWeights }, free).driftCosts[2]).toBe(0);
    expect(worstCase(model, free).bound).toBe(Number.POSITIVE_INFINITY);
  });
});

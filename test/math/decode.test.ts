import { describe, expect, it } from 'vitest';
import {
  correlations,
  crossEntropy,
  encodeAll,
  hallucinatedCorrelations,
  matrix,
  optimalWeights,
  row,
  slack,
} from '../../src/math.ts';
import { instances } from '../losses/instances.ts';
import { randomMatrices } from './random.ts';

describe.each(instances)('optimal decoding weights: $loss.name', ({ loss }) => {
  it.each([31, 32, 33, 34])('hallucinate the correlations they were fitted to (sample %i)', (seed) => {
    const random = randomMatrices(seed);
    const E = random.box(12, 3);
    const B = correlations(random.box(12, 2, 0.8), E);
    const W = optimalWeights(loss, E, B);
    if (Number.isFinite(loss.curvature)) {
      hallucinatedCorrelations(loss, W, E).data.forEach((b, k) => {
        expect(b).toBeCloseTo(B.data[k], 9);
      });
    }
    for (let k = 0; k < 30; k++) {
      const other = random.normals(2, 3);
      for (const v of [0, 1]) {
        const least = slack(loss, E, row(W, v), row(B, v));
        expect(slack(loss, E, row(other, v), row(B, v))).toBeGreaterThanOrEqual(least - 1e-9);
      }
    }
  });
});

describe('separable data', () => {
  const E = matrix(4, 1, [-1, -0.5, 0.5, 1]);
  const X = matrix(4, 1, [-1, -1, 1, 1]);

  it('sends the weight outwards until the slack is gone, in a bounded number of steps', () => {
    const B = correlations(X, E);
    const W = optimalWeights(crossEntropy, E, B);
    expect(W.data[0]).toBeGreaterThan(20);
    expect(slack(crossEntropy, E, row(W, 0), row(B, 0))).toBeLessThan(1e-5);
  });

  it('a ridge keeps it finite and satisfies its own optimality condition', () => {
    const B = correlations(X, E);
    const ridge = 1e-3;
    const W = optimalWeights(crossEntropy, E, B, { ridge });
    expect(W.data[0]).toBeLessThan(20);
    expect(hallucinatedCorrelations(crossEntropy, W, E).data[0] + ridge * W.data[0]).toBeCloseTo(
      B.data[0],
      9,
    );
  });

  it('a unit that is always zero gets weight zero', () => {
    const withDead = matrix(4, 2, [-1, 0, -0.5, 0, 0.5, 0, 1, 0]);
    const noisy = matrix(4, 1, [-1, 1, -0.2, 1]);
    const W = optimalWeights(crossEntropy, withDead, correlations(noisy, withDead));
    expect(W.data[1]).toBe(0);
    expect(encodeAll(crossEntropy, W, noisy).data.every(Number.isFinite)).toBe(true);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { betaBinomialTail, binomialTail, logChoose, logGamma } from '../../src/promises/binomial.ts';
import { holds } from '../property.ts';

describe('tails of counts', () => {
  it('of a binomial are its sums', () => {
    holds(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.double({ min: 0.01, max: 0.99, noNaN: true }),
        (n, p) => {
          for (let k = 0, below = 0; k <= n; k++) {
            expect(binomialTail(n, p, k)).toBeCloseTo(1 - below, 11);
            below += choose(n, k) * p ** k * (1 - p) ** (n - k);
          }
        },
      ),
      { seed: 1 },
    );
  });

  it('of a beta-binomial with whole numbers are counted: places of new rows among old ones', () => {
    // Each order of 3 new rows among 5 old ones is as likely; the new ones above the 4th smallest old one.
    const counts = [0, 0, 0, 0];
    for (let mask = 0; mask < 1 << 8; mask++) {
      const isNew = Array.from({ length: 8 }, (_, i) => (mask >> i) & 1);
      if (isNew.reduce((a, b) => a + b, 0) !== 3) continue;
      let [old, above] = [0, 0];
      for (const fresh of isNew) {
        if (!fresh) old++;
        else if (old >= 4) above++;
      }
      counts[above]++;
    }
    const total = counts.reduce((a, b) => a + b, 0);
    for (let k = 0; k <= 3; k++) {
      const tail = counts.slice(k).reduce((a, b) => a + b, 0) / total;
      expect(betaBinomialTail(3, 5 - 4 + 1, 4, k)).toBeCloseTo(tail, 12);
    }
  });

  it('stay exact for many trials', () => {
    // A symmetric binomial: P(K >= n/2 + 1) = (1 - P(K = n/2)) / 2, and Stirling's series gives the middle.
    const n = 1_000_000;
    const middle = Math.sqrt(2 / (Math.PI * n)) * (1 - 1 / (4 * n));
    expect(binomialTail(n, 0.5, n / 2 + 1)).toBeCloseTo((1 - middle) / 2, 8);
    expect(binomialTail(n, 0.5, n)).toBe(0);
    expect(binomialTail(n, 0.5, 10)).toBe(1);
    // Uniform chances make all counts as likely.
    expect(betaBinomialTail(9999, 1, 1, 2500)).toBeCloseTo(0.75, 9);
  });

  it('rest on logarithms of factorials', () => {
    for (let n = 0, log = 0; n < 60; n++, log += Math.log(n)) expect(logGamma(n + 1)).toBeCloseTo(log, 11);
    expect(logGamma(0.5)).toBeCloseTo(Math.log(Math.PI) / 2, 12);
    expect(logChoose(50, 25)).toBeCloseTo(Math.log(choose(50, 25)), 11);
  });
});

function choose(n: number, k: number): number {
  let value = 1;
  for (let i = 1; i <= k; i++) value = (value * (n - k + i)) / i;
  return value;
}

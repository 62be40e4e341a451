import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bitLoss } from '../../src/math.ts';
import { holds } from '../property.ts';
import { instances } from './instances.ts';

const runs = { seed: 20170424, numRuns: 200 };
const reconstruction = fc.double({ min: -0.999, max: 0.999, noNaN: true });
const score = fc.double({ min: -6, max: 6, noNaN: true });
const mean = fc.double({ min: -1, max: 1, noNaN: true });

describe.each(instances)('the laws of a loss: $loss.name', ({ loss, proper, digits }) => {
  const tolerance = 10 ** -digits;

  it('l+ decreases, l- increases, Gamma is their difference and increases', () => {
    holds(
      fc.property(reconstruction, reconstruction, (a, b) => {
        const [low, high] = a < b ? [a, b] : [b, a];
        expect(loss.plus(high)).toBeLessThanOrEqual(loss.plus(low) + 1e-12);
        expect(loss.minus(high)).toBeGreaterThanOrEqual(loss.minus(low) - 1e-12);
        expect(loss.gamma(high)).toBeGreaterThanOrEqual(loss.gamma(low) - 1e-12);
        expect(loss.gamma(a)).toBeCloseTo(loss.minus(a) - loss.plus(a), 12);
      }),
      runs,
    );
  });

  it('the transfer function inverts Gamma and is clipped beyond its range', () => {
    holds(
      fc.property(reconstruction, score, (y, m) => {
        expect(loss.transfer(loss.gamma(y))).toBeCloseTo(y, 9);
        if (m >= loss.gamma(1)) expect(loss.transfer(m)).toBe(1);
        if (m <= loss.gamma(-1)) expect(loss.transfer(m)).toBe(-1);
      }),
      runs,
    );
  });

  it('Psi(m) is the minimum over y of l+ + l- + |m - Gamma(y)|, reached at the transfer function', () => {
    holds(
      fc.property(score, reconstruction, (m, y) => {
        const at = (t: number) => loss.plus(t) + loss.minus(t) + Math.abs(m - loss.gamma(t));
        expect(loss.psi(m)).toBeLessThanOrEqual(at(y) + 1e-12);
        expect(loss.psi(m)).toBeCloseTo(at(loss.transfer(m)), 9);
      }),
      runs,
    );
  });

  it('Psi is convex and 1-Lipschitz', () => {
    holds(
      fc.property(score, score, fc.double({ min: 0, max: 1, noNaN: true }), (a, b, t) => {
        const chord = t * loss.psi(a) + (1 - t) * loss.psi(b);
        expect(loss.psi(t * a + (1 - t) * b)).toBeLessThanOrEqual(chord + 1e-12);
        expect(Math.abs(loss.psi(a) - loss.psi(b))).toBeLessThanOrEqual(Math.abs(a - b) + 1e-12);
      }),
      runs,
    );
  });

  it('Psi prime is the slope of Psi, Psi second the slope of Psi prime', () => {
    const h = 1e-3;
    holds(
      fc.property(score, (m) => {
        // The laws of slopes do not hold across the ends of Gamma's range, where Psi becomes linear.
        fc.pre([-1, 1].every((end) => !(Math.abs(m - loss.gamma(end)) < 2 * h)));
        const slope = (loss.psi(m + h) - loss.psi(m - h)) / (2 * h);
        const bend = (loss.psi(m + h) - 2 * loss.psi(m) + loss.psi(m - h)) / (h * h);
        expect(loss.psiPrime(m)).toBeCloseTo(slope, 5);
        expect(loss.psiSecond(m)).toBeCloseTo(bend, 4);
        expect(loss.psiSecond(m)).toBeLessThanOrEqual(loss.curvature + 1e-12);
      }),
      // Just inside of a kink of the Hamming loss with costs.
      { ...runs, examples: [[0.9879945772792124]] },
    );
  });

  it('the curvature is finite exactly when Psi prime has no jump', () => {
    const jumps = [-1, 1].some((end) => {
      const m = loss.gamma(end);
      return Number.isFinite(m) && loss.psiPrime(m + 1e-4) - loss.psiPrime(m - 1e-4) > 1e-2;
    });
    expect(Number.isFinite(loss.curvature)).toBe(!jumps);
  });

  it('Psi* is the conjugate of Psi and minus twice the least expected loss', () => {
    holds(
      fc.property(score, mean, reconstruction, (m, u, y) => {
        expect(loss.psi(m) + loss.conjugate(u)).toBeGreaterThanOrEqual(u * m - 1e-11);
        const slope = loss.psiPrime(m);
        expect(loss.psi(m) + loss.conjugate(slope)).toBeLessThanOrEqual(slope * m + 10 * tolerance);
        expect(-loss.conjugate(u)).toBeLessThanOrEqual(2 * bitLoss(loss, u, y) + 1e-12);
      }),
      runs,
    );
  });

  it('(Psi(m) - x m) / 2 is the loss of the reconstruction inside the range of Gamma, and above it beyond', () => {
    holds(
      fc.property(score, mean, (m, x) => {
        const bound = (loss.psi(m) - x * m) / 2;
        const actual = bitLoss(loss, x, loss.transfer(m));
        expect(bound).toBeGreaterThanOrEqual(actual - 1e-11);
        if (loss.gamma(-1) <= m && m <= loss.gamma(1)) expect(bound).toBeCloseTo(actual, 9);
      }),
      runs,
    );
  });

  it('Psi prime is the transfer function exactly for proper losses', () => {
    const farthest = Math.max(
      ...[-0.9, -0.5, -0.1, 0.2, 0.6].map((y) => Math.abs(loss.psiPrime(loss.gamma(y)) - y)),
    );
    if (proper) expect(farthest).toBeLessThan(10 * tolerance);
    else expect(farthest).toBeGreaterThan(0.05);
  });

  it('is finite and linear far out', () => {
    for (const size of [120, 745, 1e4, 1e8]) {
      expect(loss.psi(size)).toBeCloseTo(size + 2 * loss.plus(1), 6);
      expect(loss.psi(-size)).toBeCloseTo(size + 2 * loss.minus(-1), 6);
      for (const m of [-size, size]) {
        expect(loss.transfer(m)).toBeCloseTo(Math.sign(m), 5);
        expect(loss.psiPrime(m)).toBeCloseTo(Math.sign(m), 5);
        expect(loss.psiSecond(m)).toBeCloseTo(0, 5);
      }
    }
    expect([-1, 0, 1].every((u) => Number.isFinite(loss.conjugate(u)))).toBe(true);
  });
});

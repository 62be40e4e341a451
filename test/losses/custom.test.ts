import { describe, expect, it } from 'vitest';
import { crossEntropy, customLoss } from '../../src/math.ts';

describe('a loss made from two partial losses', () => {
  it('agrees with the closed form of cross-entropy', () => {
    const derived = customLoss({ name: 'own', plus: crossEntropy.plus, minus: crossEntropy.minus });
    for (let m = -30; m <= 30; m += 0.37) {
      expect(derived.psi(m)).toBeCloseTo(crossEntropy.psi(m), 12);
      expect(derived.transfer(m)).toBeCloseTo(crossEntropy.transfer(m), 12);
      expect(derived.psiPrime(m)).toBeCloseTo(crossEntropy.psiPrime(m), 8);
      expect(derived.psiSecond(m)).toBeCloseTo(crossEntropy.psiSecond(m), 6);
    }
    for (let u = -1; u <= 1; u += 0.125)
      expect(derived.conjugate(u)).toBeCloseTo(crossEntropy.conjugate(u), 12);
    expect(derived.curvature).toBeGreaterThanOrEqual(0.5);
    expect(derived.curvature).toBeLessThan(0.51);
  });

  it('agrees with the closed form of the exponential loss, Psi(m) = sqrt(m^2 + 4)', () => {
    const exponential = customLoss({
      name: 'exponential',
      plus: (y) => Math.sqrt((1 - y) / (1 + y)),
      minus: (y) => Math.sqrt((1 + y) / (1 - y)),
    });
    for (const m of [-1e4, -50, -3, -0.1, 0, 0.7, 2, 10, 1e3, 1e4]) {
      expect(exponential.psi(m) / Math.hypot(m, 2)).toBeCloseTo(1, 12);
      expect(exponential.transfer(m)).toBeCloseTo(m / Math.hypot(m, 2), 12);
      expect(exponential.psiPrime(m)).toBeCloseTo(m / Math.hypot(m, 2), 8);
    }
  });

  it('names the interval where a partial loss runs the wrong way', () => {
    const bump = (y: number) => 1 - y + (y > 0.25 && y < 0.5 ? 3 * (y - 0.25) : y >= 0.5 ? 0.75 : 0);
    expect(() => customLoss({ name: 'bumpy', plus: bump, minus: (y) => 1 + y })).toThrow(
      /"bumpy": plus must decrease over \[-1, 1\], but it goes from 0\.75 to 1\.25 between y = 0\.25 and y = 0\.5$/,
    );
    expect(() => customLoss({ name: 'flipped', plus: (y) => 1 - y, minus: (y) => 1 - y })).toThrow(
      /"flipped": minus must increase .* between y = -1 and y = 1$/,
    );
  });

  it('refuses values that are not numbers, and losses that do not depend on y', () => {
    const plus = (y: number) => Math.sqrt(y) * -1;
    expect(() => customLoss({ name: 'nan', plus, minus: (y) => y })).toThrow(
      /"nan": plus\(-1\) is NaN; expected/,
    );
    expect(() => customLoss({ name: 'flat', plus: () => 1, minus: () => 2 })).toThrow(/constant/);
    expect(() => customLoss({ name: 'pole', plus: (y) => -y, minus: (y) => -1 / y })).toThrow(
      /minus\(0\) is/,
    );
  });

  it('refuses a name that a model file would take for a built-in loss', () => {
    const names = ['cross-entropy', 'hamming', 'squared', 'cost:2,1'];
    for (const name of [...names, 'cost-weighted(hamming, falseOne=2, falseZero=1)']) {
      expect(() => customLoss({ name, plus: (y) => -y, minus: (y) => y })).toThrow(
        `"${name}": a model file with this name means the built-in loss`,
      );
    }
  });

  it('refuses a potential well that is not convex, unless told otherwise', () => {
    const roots = {
      name: 'roots',
      plus: (y: number) => Math.sqrt((1 - y) / 2),
      minus: (y: number) => Math.sqrt((1 + y) / 2),
    };
    expect(() => customLoss(roots)).toThrow(/"roots": its potential well Psi is not convex .* y = /);
    const loss = customLoss({ ...roots, allowNonConvexPsi: true });
    expect(loss.psi(0)).toBeCloseTo(Math.SQRT2, 12);
    expect(loss.psi(0)).toBeGreaterThan((loss.psi(-1) + loss.psi(1)) / 2);
  });
});

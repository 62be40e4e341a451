import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endsOf } from '../../src/losses/chords.ts';
import type { Loss } from '../../src/losses/loss.ts';
import { sampled } from '../../src/losses/sampled.ts';
import { costWeighted, customLoss, hamming, squared } from '../../src/math.ts';
import { holds } from '../property.ts';

const losses = [
  customLoss({
    name: 'a kink on one side',
    plus: (y) => Math.LN2 - Math.log1p(y),
    minus: (y) => (1 + y) / 2,
  }),
  costWeighted(hamming, { falseOne: 2, falseZero: 0.3 }),
  costWeighted(hamming, { falseOne: 1.03, falseZero: 1.07 }),
  costWeighted(squared, { falseOne: 2, falseZero: 0.3 }),
  customLoss({ name: 'both kinks beyond 64', plus: (y) => (1 - y) / 2, minus: (y) => 99 + y }),
  customLoss({ name: 'both kinks above 0', plus: (y) => (1 - y) / 2, minus: (y) => 5 + y }),
];

describe.each(losses)('the table of a loss with kinks: $name', (loss) => {
  it('is never below Psi, up to rounding: what it proves of codes holds', () => {
    const ends = [-1, 1].map((y) => loss.gamma(y)).filter(Number.isFinite);
    const table = sampled(loss);
    holds(
      fc.property(fc.constantFrom(...ends), fc.double({ min: -1, max: 1, noNaN: true }), (end, t) => {
        // The closer to a kink, the more often.
        const m = end + t ** 5;
        expect(table.psi(m)).toBeGreaterThanOrEqual(loss.psi(m) - 1e-9);
        expect(table.psi(m)).toBeLessThan(loss.psi(m) + 1e-6);
      }),
      { seed: 5, numRuns: 2000 },
    );
  });

  it('has the same kinks, none of them a cell wide', () => {
    const [ends, own] = [endsOf(sampled(loss)), endsOf(loss)];
    expect(ends.slopeFrom).toBeCloseTo(own.slopeFrom, 4);
    expect(ends.slopeTo).toBeCloseTo(own.slopeTo, 4);
  });
});

const METHODS = ['plus', 'minus', 'gamma', 'transfer', 'psi', 'psiPrime', 'psiSecond', 'conjugate'] as const;

describe('the table of a loss that is an object of a class', () => {
  it('is the same as that of the loss itself', () => {
    const [plain] = losses;
    class Own {
      readonly name = 'own';
      readonly curvature = plain.curvature;
      readonly own = plain;
    }
    // Methods of the class, which need their object.
    for (const name of METHODS) {
      const method = function (this: Own, at: number) {
        return this.own[name](at);
      };
      Object.defineProperty(Own.prototype, name, { value: method });
    }
    const [table, same] = [sampled(new Own() as Own & Loss), sampled(plain)];
    for (const m of [-70, -1.2, 0, 0.3, 5]) {
      for (const name of ['psi', 'psiPrime', 'psiSecond', 'transfer'] as const) {
        expect(table[name](m)).toBe(same[name](m));
      }
      expect(table.plus(m / 70)).toBe(same.plus(m / 70));
    }
  });
});

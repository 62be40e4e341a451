import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endsOf } from '../../src/losses/chords.ts';
import { sampled } from '../../src/losses/sampled.ts';
import { smoothed } from '../../src/losses/smoothed.ts';
import { costWeighted, customLoss, hamming } from '../../src/math.ts';
import { holds } from '../property.ts';

const oneSided = { plus: (y: number) => Math.LN2 - Math.log1p(y), minus: (y: number) => (1 + y) / 2 };
const losses = [
  hamming,
  costWeighted(hamming, { falseOne: 1, falseZero: 2 }),
  customLoss({ name: 'a kink on one side', ...oneSided }),
].map(sampled);
const score = fc.double({ min: -6, max: 6, noNaN: true });

describe.each(losses)('kinks rounded off: $name', (loss) => {
  it('Psi is lower by at most half the width for each unit of the jump, convex, with the slope that it says', () =>
    holds(
      fc.property(fc.constantFrom(1, 0.25, 0.06), score, score, (width, m, other) => {
        const { slopeFrom, slopeTo } = endsOf(loss);
        const jump = Math.max(1 - slopeTo, 1 + slopeFrom);
        const round = smoothed(loss, width);
        const below = loss.psi(m) - round.psi(m);
        expect(below).toBeGreaterThanOrEqual(-1e-6);
        expect(below).toBeLessThanOrEqual((jump * width) / 2 + 1e-6);
        const slope = round.psiPrime(m);
        expect(Math.abs(slope)).toBeLessThanOrEqual(1);
        expect(round.psi(other)).toBeGreaterThanOrEqual(round.psi(m) + slope * (other - m) - 1e-6);
        // Its slopes make bounds for the loss itself: Fenchel and Young.
        expect(loss.psi(other)).toBeGreaterThanOrEqual(slope * other - round.conjugate(slope) - 1e-6);
      }),
      { seed: 8, numRuns: 200 },
    ));

  it("Psi'' is what the slope rises by, also next to the kink", () =>
    holds(
      fc.property(fc.constantFrom(1, 0.25, 0.06), score, (width, m) => {
        const round = smoothed(loss, width);
        const ends = [-1, 1].flatMap((y) => [loss.gamma(y), round.gamma(y)]);
        fc.pre(ends.every((end) => Math.abs(m - end) > 1e-3));
        const rise = (round.psiPrime(m + 1e-4) - round.psiPrime(m - 1e-4)) / 2e-4;
        expect(round.psiSecond(m)).toBeCloseTo(rise, 2);
        expect(round.psiSecond(m)).toBeLessThanOrEqual(Math.max(1, round.curvature));
      }),
      { seed: 9, numRuns: 200 },
    ));
});

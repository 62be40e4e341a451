import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { crossEntropy, hamming, squared } from '../../src/math.ts';
import { ceilingOf, ESCAPE, escapes, evenOdds, withEscape } from '../../src/promises/ceiling.ts';
import { holds } from '../property.ts';

const nats = { V: 784, reconstructionLoss: crossEntropy };

describe('the ceiling', () => {
  it('is even odds and what the escape costs', () => {
    expect(evenOdds(nats)).toBeCloseTo(784 * Math.LN2, 9);
    expect(ceilingOf(nats)).toBeCloseTo(550.3, 1);
    expect(evenOdds({ V: 3, reconstructionLoss: crossEntropy, columnWeights: [1, 0, 2] })).toBeCloseTo(
      3 * Math.LN2,
      9,
    );
    expect(ceilingOf({ V: 10, reconstructionLoss: hamming })).toBe(5);
    expect(ceilingOf({ V: 10, reconstructionLoss: squared })).toBe(2.5);
  });

  it('is above every row, costs no row more than 0.001 nats, and keeps the order of losses', () => {
    holds(
      fc.property(
        fc.double({ min: 0, max: 1e9, noNaN: true }),
        fc.double({ min: 0, max: 1e9, noNaN: true }),
        fc.constantFrom(nats, { V: 12, reconstructionLoss: hamming }, { ...nats, V: 2 }),
        (a, b, decoding) => {
          const escaped = (loss: number) => withEscape(loss, evenOdds(decoding), decoding);
          for (const loss of [a, b]) {
            expect(escaped(loss)).toBeLessThanOrEqual(ceilingOf(decoding) + 1e-9);
            expect(escaped(loss)).toBeLessThanOrEqual(loss + 0.00101);
          }
          // Never further apart than the losses themselves.
          const [less, more] = [Math.min(a, b), Math.max(a, b)];
          const rise = escaped(more) - escaped(less);
          expect(rise).toBeGreaterThanOrEqual(-1e-9);
          expect(rise).toBeLessThanOrEqual(more - less + 1e-9);
        },
      ),
      { seed: 1 },
    );
  });

  it('comes of probabilities that sum to one at most', () => {
    // Three bits with probabilities of their own: the eight rows, each with the escape, at what it costs.
    const chances = [0.9, 0.2, 0.999];
    const decoding = { V: 3, reconstructionLoss: crossEntropy };
    let [total, escaped] = [0, 0];
    for (let row = 0; row < 8; row++) {
      const loss = chances.reduce((sum, p, v) => sum - Math.log((row >> v) & 1 ? p : 1 - p), 0);
      total += Math.exp(-withEscape(loss, 3 * Math.LN2, decoding));
      if (escapes(loss, 3 * Math.LN2, decoding)) escaped++;
    }
    expect(total).toBeLessThanOrEqual(1);
    expect(escaped).toBe(2);
    expect(escapes(50, 3 * Math.LN2, decoding)).toBe(true);
    expect(ESCAPE).toBe(0.001);
  });
});

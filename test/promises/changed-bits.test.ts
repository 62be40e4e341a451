import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { costWeighted, crossEntropy, hamming, squared } from '../../src/math.ts';
import { evenOdds } from '../../src/promises/ceiling.ts';
import { changedBits } from '../../src/promises/changed-bits.ts';
import { holds } from '../property.ts';

const losses = [
  crossEntropy,
  hamming,
  squared,
  costWeighted(crossEntropy, { falseOne: 3, falseZero: 1 }),
  costWeighted(crossEntropy, { falseOne: 1, falseZero: 3 }),
];

describe('changed bits', () => {
  it('cost what naming them costs, in nats', () => {
    holds(
      fc.property(fc.integer({ min: 2, max: 5000 }), fc.nat(), (V, pick) => {
        const k = 1 + (pick % Math.max(1, Math.floor(V / 2)));
        const q = k / V;
        const entropy = -q * Math.log(q) - (1 - q) * Math.log1p(-q);
        const { cap, price } = changedBits(k, { V, reconstructionLoss: crossEntropy });
        expect(price).toBeCloseTo(V * entropy, 6);
        expect(cap).toBeCloseTo(Math.log((1 - q) / q), 3);
      }),
      { seed: 1 },
    );
  });

  it('never cost a row more than promised, whatever its scores, entries and changes', () => {
    const V = 6;
    holds(
      fc.property(
        fc.constantFrom(...losses),
        fc.array(fc.double({ min: -50, max: 50, noNaN: true }), { minLength: V, maxLength: V }),
        fc.array(fc.constantFrom(-1, -0.3, 1), { minLength: V, maxLength: V }),
        fc.array(fc.constantFrom(0.5, 1, 2), { minLength: V, maxLength: V }),
        fc.integer({ min: 0, max: V }),
        (loss, scores, x, columnWeights, k) => {
          const decoding = { V, reconstructionLoss: loss, columnWeights };
          const { cap, price, most } = changedBits(k, decoding);
          const cost = (m: readonly number[], row: readonly number[]) =>
            m.reduce((sum, score, v) => sum + (columnWeights[v] * (loss.psi(score) - row[v] * score)) / 2, 0);
          const capped = scores.map((m) => Math.max(-cap, Math.min(m, cap)));
          // The worst changes are of the bits that are surest, weights counted.
          const order = scores.map((_, v) => v);
          order.sort(
            (a, b) => columnWeights[b] * Math.abs(capped[b]) - columnWeights[a] * Math.abs(capped[a]),
          );
          const changed: number[] = x.slice();
          for (const v of order.slice(0, k)) changed[v] = -Math.sign(capped[v]);
          expect(cost(capped, changed)).toBeLessThanOrEqual(cost(scores, x) + price + 1e-9);
          expect(cost(capped, changed)).toBeLessThanOrEqual(most + 1e-9);
        },
      ),
      { seed: 2, numRuns: 500 },
    );
  });

  it('cost nothing where there are none', () => {
    expect(changedBits(0, { V: 784, reconstructionLoss: crossEntropy }).price).toBeLessThan(1e-9);
  });

  it('cost even odds where all bits may change', () => {
    const decoding = { V: 784, reconstructionLoss: crossEntropy };
    expect(changedBits(784, decoding).price).toBeCloseTo(evenOdds(decoding), 9);
  });
});

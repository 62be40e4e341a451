import { describe, expect, it } from 'vitest';
import { costWeighted, crossEntropy, customLoss, hamming, squared } from '../../src/math.ts';
import { asRows } from '../../src/rows/input.ts';
import { baseRateLoss } from '../../src/solvers/base-rates.ts';

/** One column, a tenth of whose entries are ones. */
const data = Uint8Array.from({ length: 1000 }, (_, k) => (k % 10 === 0 ? 1 : 0));
const rows = asRows({ data, n: 1000, V: 1 });

describe('base rates', () => {
  it.each([
    ['cross-entropy', crossEntropy, -(0.1 * Math.log(0.1) + 0.9 * Math.log(0.9))],
    ['squared', squared, 0.1 * 0.81 + 0.9 * 0.01],
    ['hamming: always 0 is right nine times in ten', hamming, 0.1],
    ['a one is worth ten zeros', costWeighted(hamming, { falseOne: 1, falseZero: 10 }), 0.9],
    [
      'cross-entropy by tables',
      customLoss({ name: 'own', plus: (y) => -Math.log((1 + y) / 2), minus: (y) => -Math.log((1 - y) / 2) }),
      -(0.1 * Math.log(0.1) + 0.9 * Math.log(0.9)),
    ],
  ])('cost as little as a guess can that knows nothing else: %s', (_, loss, expected) => {
    expect(baseRateLoss({ rows }, { rows }, loss) / 1000).toBeCloseTo(expected, 2);
  });

  it('depend on the ratios of weights alone, and leave the row itself out where it is among those known', () => {
    const few = asRows({ data: Uint8Array.of(1, 0, 0, 1, 0), n: 5, V: 1 });
    const of = (weight: number, among: boolean) => {
      const counted = { rows: few, rowWeights: [3, 1, 1, 2, 1].map((w) => w * weight) };
      return baseRateLoss(counted, counted, crossEntropy, { among }) / weight;
    };
    for (const among of [false, true]) expect(of(1e-4, among)).toBeCloseTo(of(1, among), 10);
    expect(of(1, true)).toBeGreaterThan(of(1, false));
  });
});

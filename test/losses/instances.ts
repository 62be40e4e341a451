import { costWeighted, crossEntropy, customLoss, hamming, type Loss, squared } from '../../src/math.ts';

/**
 * Partial losses that are not convex (minus' = (1 + y)(2 - y^2) falls near 1) with a convex Psi: Psi' = y.
 */
export const nonConvexPartials = customLoss({
  name: 'non-convex partial losses',
  plus: (y) => quartic(-y),
  minus: quartic,
});

/**
 * 2 y + y^2 - y^3/3 - y^4/4 + 11/12, without powers: laws of all engines ask for it a hundred million times.
 */
function quartic(y: number): number {
  return (((-y / 4 - 1 / 3) * y + 1) * y + 2) * y + 11 / 12;
}

/** Every kind of loss there is. Proper: the reconstruction of least expected loss is the mean of the bit. */
export const instances: readonly {
  readonly loss: Loss;
  readonly proper: boolean;
  readonly digits: number;
}[] = [
  { loss: crossEntropy, proper: true, digits: 12 },
  { loss: hamming, proper: false, digits: 12 },
  { loss: squared, proper: true, digits: 12 },
  { loss: costWeighted(crossEntropy, { falseOne: 3, falseZero: 1 }), proper: false, digits: 7 },
  { loss: costWeighted(hamming, { falseOne: 1, falseZero: 2 }), proper: false, digits: 7 },
  {
    loss: customLoss({
      name: 'cross-entropy, derived',
      plus: (y) => Math.log(2 / (1 + y)),
      minus: (y) => Math.log(2 / (1 - y)),
    }),
    proper: true,
    digits: 7,
  },
  { loss: nonConvexPartials, proper: true, digits: 7 },
];

import { describe, expect, it } from 'vitest';
import { costWeighted, crossEntropy, customLoss, hamming, lossByName, squared } from '../../src/math.ts';

describe('losses by the name in a model file', () => {
  it('finds the built-in ones and those of the caller', () => {
    for (const loss of [crossEntropy, hamming, squared]) expect(lossByName(loss.name)).toBe(loss);
    const own = customLoss({ name: 'mine', plus: (y) => -y, minus: (y) => y });
    expect(lossByName('mine', [own])).toBe(own);
  });

  it('rebuilds cost-weighted losses, nested ones too', () => {
    const once = costWeighted(hamming, { falseOne: 2.5, falseZero: 1e-3 });
    const twice = costWeighted(once, { falseOne: 3, falseZero: 4 });
    for (const loss of [once, twice]) {
      const again = lossByName(loss.name);
      expect(again.name).toBe(loss.name);
      for (const m of [-3, -0.2, 0, 1, 9]) expect(again.psi(m)).toBe(loss.psi(m));
    }
  });

  it('says which names it knows', () => {
    expect(() => lossByName('hinge')).toThrow(
      /unknown loss "hinge"; known are "cross-entropy", "hamming", "squared"/,
    );
    expect(() => lossByName('cost-weighted(hamming, falseOne=-1, falseZero=1)')).toThrow(
      /falseOne is -1; expected/,
    );
  });
});

import { describe, expect, it } from 'vitest';
import { algorithm1, crossEntropy, matrix, objective, row } from '../../src/math.ts';
import { instances } from '../losses/instances.ts';
import { randomMatrices } from './random.ts';

describe.each(instances)('Algorithm 1: $loss.name', ({ loss }) => {
  it.each(['box', 'real'] as const)('never increases L, %s codes', (domain) => {
    const random = randomMatrices(41);
    const X = random.box(10, 5);
    const { W, E, history } = algorithm1(loss, X, random.normals(5, 2), 4, { domain });
    expect(history).toHaveLength(8);
    history.slice(1).forEach((value, t) => {
      expect(value).toBeLessThanOrEqual(history[t] + 1e-9);
    });
    expect(history[7]).toBeLessThan(history[0]);
    expect(history[7]).toBe(objective(loss, W, E, X));
  });
});

describe('Algorithm 1 with cross-entropy', () => {
  const random = randomMatrices(20170424);
  // Randomised bits: nothing is separable, so the weights stay finite.
  const X = random.box(16, 6);
  const W0 = random.normals(6, 2);

  it('gives the same result for a seed, for ever', () => {
    const { W, E, B, history } = algorithm1(crossEntropy, X, W0, 3);
    // Eight digits: the elementary functions may differ in the last place between machines.
    const rounded = (values: ArrayLike<number>) => Array.from(values, (value) => value.toPrecision(8));
    expect({
      W: rounded(W.data),
      E: rounded(row(E, 0)),
      B: rounded(B.data),
      history: rounded(history),
    }).toMatchSnapshot();
  });

  it('does not depend on the order of the examples', () => {
    const { W } = algorithm1(crossEntropy, X, W0, 2);
    const reversed = matrix(16, 6, Array.from({ length: 16 }, (_, i) => [...row(X, 15 - i)]).flat());
    const again = algorithm1(crossEntropy, reversed, W0, 2);
    W.data.forEach((w, k) => {
      expect(again.W.data[k]).toBeCloseTo(w, 6);
    });
  });

  it('wants at least one round', () => {
    expect(() => algorithm1(crossEntropy, X, W0, 0)).toThrow('T is 0; expected at least one round');
  });
});

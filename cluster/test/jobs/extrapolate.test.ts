import { describe, expect, it } from 'vitest';
import { extrapolate } from '../../src/jobs/extrapolate.ts';

describe('extrapolation', () => {
  /** A linear map with a fixed point, which creeps in two of its directions. */
  const rates = [0.95, 0.8, 0.1, 0];
  const fixed = [1, -2, 3, 0.5];
  const map = (W: ArrayLike<number>) => Float64Array.from(fixed, (at, k) => at + rates[k] * (W[k] - at));

  it('finds the fixed point of a linear map long before the map itself would', () => {
    let W: ArrayLike<number> = [0, 0, 0, 0];
    const rounds: { W: ArrayLike<number>; G: Float64Array }[] = [];
    for (let k = 0; k < 40; k++) {
      rounds.unshift({ W, G: map(W) });
      rounds.splice(5);
      W = extrapolate(rounds, [0.2, 0.1]);
    }
    // The map alone leaves an eighth of the way at its slowest: 0.95^40.
    Array.from(W).forEach((w, k) => {
      expect(Math.abs(w - fixed[k])).toBeLessThan(0.02);
    });
  });

  it('goes where the round led while there is one round only, or nothing differs', () => {
    const round = { W: [0, 0], G: [1, 2] };
    expect([...extrapolate([round], [1, 1])]).toEqual([1, 2]);
    expect([...extrapolate([round, round], [1, 1])]).toEqual([1, 2]);
  });
});

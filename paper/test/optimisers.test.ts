import { gaussians } from 'pc-ae/math';
import { asRows } from 'pc-ae/rows';
import { describe, expect, it } from 'vitest';
import { objectiveOf } from '../src/objective.ts';
import { OPTIMISERS, type Smooth } from '../src/optimisers.ts';

describe.each(Object.entries(OPTIMISERS))('%s', (_, minimise) => {
  it('finds the minimum of a convex function, in as many evaluations as it is given at most', () => {
    let evaluations = 0;
    // (z - k)^2 with curvatures from 1 to 4.
    const f: Smooth = (z, g) => {
      evaluations++;
      let value = 0;
      for (let k = 0; k < z.length; k++) {
        const away = z[k] - k / 2;
        value += 0.5 * (k + 1) * away * away;
        g[k] = (k + 1) * away;
      }
      return value;
    };
    const z = new Float64Array(4);
    minimise(f, z, 800);
    expect(evaluations).toBeLessThanOrEqual(800);
    z.forEach((value, k) => {
      expect(value).toBeCloseTo(k / 2, 1);
    });
  });
});

describe('the objective of one side', () => {
  const [n, V, H] = [4, 6, 2];
  const data = Uint8Array.from({ length: n * V }, (_, k) => ((k * k) % 3) & 1);
  const { ofCodes, ofWeights } = objectiveOf(asRows({ data, n, V }), H);
  const [W, E] = [gaussians(V * H, 1), gaussians(n * H, 2)];

  it('is the same from both sides, and has the gradients that differences show', () => {
    for (const [f, z] of [
      [ofCodes(W), E],
      [ofWeights(E), W],
    ] as const) {
      const g = new Float64Array(z.length);
      expect(f(z, g)).toBeCloseTo(ofCodes(W)(E, new Float64Array(E.length)), 12);
      for (let k = 0; k < z.length; k++) {
        const at = (step: number) =>
          f(
            z.map((value, j) => (j === k ? value + step : value)),
            new Float64Array(z.length),
          );
        expect((at(1e-5) - at(-1e-5)) / 2e-5).toBeCloseTo(g[k], 7);
      }
    }
  });
});

import { describe, expect, it } from 'vitest';
import {
  chosenUnits,
  chosenWeights,
  correlations,
  crossEntropy,
  type Matrix,
  matrix,
  minimaxValue,
  optimalWeights,
  reconstruct,
  relaxedWeights,
  row,
  selectColumns,
  worstCaseBound,
} from '../../src/math.ts';
import { instances } from '../losses/instances.ts';
import { gameValue, worstCase } from './adversary.ts';
import { randomMatrices } from './random.ts';

const seeds = [1, 2];

/** Codes, realisable correlations, and for each of three bits some of its units. */
function game(seed: number) {
  const random = randomMatrices(seed);
  const [n, V, H] = [7 + (seed % 3), 3, 3];
  const E = random.box(n, H);
  const B = correlations(random.box(n, V), E);
  const mask = Uint8Array.from([1, 1, 1, seed % 2, 1, 0, 0, 0, 0]);
  return { random, E, B, mask };
}

/** Sums over bits of a quantity of the game that knows only the bit's chosen correlations. */
function sumOverBits(
  { E, B, mask }: { E: Matrix; B: Matrix; mask: Uint8Array },
  Y: Matrix,
  value: (E: Matrix, b: Matrix, y: Matrix, v: number) => number,
): number {
  let sum = 0;
  for (let v = 0; v < B.rows; v++) {
    const units = chosenUnits(mask, v, B.cols);
    const b = selectColumns(matrix(1, B.cols, row(B, v)), units);
    sum += value(selectColumns(E, units), b, selectColumns(Y, [v]), v);
  }
  return sum;
}

describe.each(instances)('chosen correlations: $loss.name', ({ loss }) => {
  it.each(seeds)('no data with the chosen correlations does worse than the value (game %i)', (seed) => {
    const { random, ...played } = game(seed);
    const W = chosenWeights(loss, played.E, played.B, played.mask);
    const value = worstCaseBound(loss, played.E, played.B, W);
    const Y = reconstruct(loss, W, played.E);
    const adversary = (Z: Matrix) => sumOverBits(played, Z, (E, b, y) => worstCase(loss, E, b, y));
    expect(adversary(Y)).toBeCloseTo(value, 6);
    // Nor is any other reconstruction safer, near or far.
    for (const size of [0.02, 0.2, 0.9]) {
      const off = random.box(Y.rows, Y.cols, size);
      const moved = Y.data.map((y, k) =>
        Math.max(-0.9999, Math.min((size < 0.9 ? y : 0) + off.data[k], 0.9999)),
      );
      expect(adversary(matrix(Y.rows, Y.cols, moved))).toBeGreaterThanOrEqual(value - 1e-7);
    }
  });

  it.each(seeds)('the value is what a linear program finds without the theorem (game %i)', (seed) => {
    const played = game(seed);
    const W = chosenWeights(loss, played.E, played.B, played.mask);
    const Y = reconstruct(loss, W, played.E);
    const inside = matrix(
      Y.rows,
      Y.cols,
      Y.data.map((y) => Math.max(-0.9999, Math.min(y, 0.9999))),
    );
    const value = sumOverBits(played, inside, (E, b, y) => gameValue(loss, E, b, y));
    expect(value).toBeCloseTo(worstCaseBound(loss, played.E, played.B, W), 6);
  });

  it.each(seeds)(
    'fewer correlations never promise more, and eps_v on top promises less still (game %i)',
    (seed) => {
      const { E, B, mask } = game(seed);
      const eps = Float64Array.from([0.02, 0.1, 0.05]);
      const chosen = worstCaseBound(loss, E, B, chosenWeights(loss, E, B, mask));
      const relaxed = chosenWeights(loss, E, B, mask, { eps });
      expect(chosen).toBeGreaterThanOrEqual(minimaxValue(loss, E, B) - 1e-8);
      expect(worstCaseBound(loss, E, B, relaxed, eps)).toBeGreaterThanOrEqual(chosen - 1e-8);
    },
  );
});

describe('chosen weights', () => {
  it('are zero outside the mask, and those of the plain game where everything is chosen', () => {
    const { E, B, mask } = game(2);
    const eps = Float64Array.from([0, 0.02, 0.05]);
    const W = chosenWeights(crossEntropy, E, B, mask);
    expect([...W.data].every((w, k) => mask[k] === 1 || w === 0)).toBe(true);
    const all = new Uint8Array(9).fill(1);
    expect(chosenWeights(crossEntropy, E, B, all)).toEqual(optimalWeights(crossEntropy, E, B));
    expect(chosenWeights(crossEntropy, E, B, all, { eps })).toEqual(relaxedWeights(crossEntropy, E, B, eps));
  });
});
